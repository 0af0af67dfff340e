import {
  type BlobRef,
  type Decision,
  isWorkrailError,
  type NewRow,
  parseJson,
  type RowChange,
  type Tables,
  type TablesContent,
  WorkrailError,
} from "@workrail/core";

/** One change of the store, under a number of the journal. */
export interface Entry {
  /** Random, so that a writer recognises its own entry. */
  readonly id: string;
  readonly rows: readonly RowChange[];
  readonly audit: Decision<unknown>["audit"];
  readonly auditThrough?: number | undefined;
  /** Keys that hold blobs from now on; `null`: the keys of this blob are given up. Given as pairs. */
  readonly blobs: readonly (readonly [BlobRef, string | null])[];
  /** True when the snapshot of this entry replaces all content. */
  readonly isReplaced?: true | undefined;
}

/** Change of the store without its id. */
export type Change = Partial<Omit<Entry, "id">>;

/** Whole content of the store after an entry. */
export interface Snapshot extends TablesContent {
  readonly number: number;
  /** Ids of the last entries, the newest last. */
  readonly ids: readonly string[];
  readonly blobs: readonly (readonly [BlobRef, string])[];
}

/** Writes an entry or a snapshot as JSON. */
export function encoded(content: Entry | Snapshot): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(content));
}

/** Reads an entry. */
export function decodedEntry(key: string, value: Uint8Array): Entry {
  return read(key, value) as Entry;
}

/** Reads a snapshot. */
export function decodedSnapshot(key: string, value: Uint8Array): Snapshot {
  return read(key, value) as Snapshot;
}

/** @throws STORAGE_UNAVAILABLE with the reason `damaged` when the value is not such JSON. */
function read(key: string, value: Uint8Array): Entry | Snapshot {
  try {
    const content = parseJson(new TextDecoder("utf-8", { fatal: true }).decode(value)) as unknown as Entry | Snapshot;
    const audit = content.audit.map((event) => ({ ...NO_EVENT, ...event, at: new Date(event.at) }));
    return { ...content, rows: content.rows.map(revived), audit } as Entry | Snapshot;
  } catch (cause) {
    const hint = "Run `workrail repair`: it rebuilds the catalog from the checkpoints.";
    throw new WorkrailError("STORAGE_UNAVAILABLE", `The value of ${key} is damaged.`, { cause, details: { reason: "damaged", key }, hint });
  }
}

/** True when a value could be read, but is not an entry or snapshot. */
export function isDamage(error: unknown): boolean {
  return isWorkrailError(error) && error.details["reason"] === "damaged";
}

/** Members that JSON leaves out when they are `undefined`. */
const NO_EVENT = { sessionId: undefined, checkpointId: undefined, agentId: undefined };
const NO_CHECKPOINT = { commit: undefined, trashedAt: undefined };
const NO_RECORD = {
  agentId: undefined,
  workflowId: undefined,
  project: undefined,
  name: undefined,
  layers: undefined,
  shieldedUntil: undefined,
};

/** JSON has no times: the rows get theirs back. */
function revived<T extends RowChange | NewRow>(change: T): T {
  const { table, was, now } = change as RowChange;
  const row = table === "checkpoint" ? checkpoint : withTimes;
  return { table, ...(was === undefined ? {} : { was: row(was) }), ...(now === undefined ? {} : { now: row(now) }) } as T;
}

function checkpoint(row: object): object {
  return { ...NO_CHECKPOINT, ...withTimes(row), record: { ...NO_RECORD, ...withTimes((row as Tables["checkpoint"]).record) } };
}

const TIMES: ReadonlySet<string> = new Set(["createdAt", "lastAccessedAt", "shieldedUntil", "trashedAt", "until"]);

function withTimes(row: object): object {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]: [string, unknown]) => [
      name,
      TIMES.has(name) && typeof value === "string" ? new Date(value) : value,
    ]),
  );
}
