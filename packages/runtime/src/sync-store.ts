import {
  ALL,
  type CheckpointId,
  type CheckpointRecord,
  type CheckpointRow,
  findCheckpoint,
  findSession,
  isWorkrailError,
  pinEntry,
  runThen,
  type SessionId,
  tagSession,
} from "@workrail/core";
import { checkParams } from "./check-params.ts";
import { hasStore } from "./missing-store.ts";
import { openStore } from "./open-store.ts";
import type { Store } from "./store.ts";
import { placeOf } from "./place-of.ts";
import { noStore, readPlaces } from "./two-places.ts";
import type { SyncStoreOptions, SyncStoreResult } from "./sync-options.ts";
import { idWhenTaken, takeRecord } from "./take-record.ts";

/** Checkpoints that are compared with the target in one step. */
const BATCH = 200;

/** Pushes checkpoints to another store, as `syncStore` of the library describes. */
export async function syncStore(options: SyncStoreOptions): Promise<SyncStoreResult> {
  checkParams(options, "syncStore", "options");
  const { source, target, adapters } = readPlaces(options);
  if (source.store === undefined && !hasStore(source.dataDir)) throw noStore(source.dataDir);
  const from = await openStore({ settings: source, adapters, project: undefined, upkeep: false });
  const withTarget = async (): Promise<SyncStoreResult> => {
    const to = await openStore({ settings: target, adapters, project: undefined, upkeep: false });
    const push = new Push(from, to, options);
    return runThen(
      async () => ({ from: placeOf(source), to: placeOf(target), ...(await push.run()) }),
      () => to.close(),
    );
  };
  return runThen(withTarget, () => from.close());
}

/** The parts of a result, while they grow. */
type Report = {
  -readonly [Field in keyof Omit<SyncStoreResult, "from" | "to">]: SyncStoreResult[Field] extends readonly (infer Item)[]
    ? Item[]
    : SyncStoreResult[Field];
};

class Push {
  readonly #from: Store;
  readonly #to: Store;
  readonly #options: SyncStoreOptions;
  readonly #report: Report = { pushed: 0, present: 0, removedThere: 0, forks: [], renamed: [], refused: [], isComplete: true };
  /** The last checkpoint pushed to each session, by its id in the target. */
  readonly #pushed = new Map<SessionId, CheckpointId>();
  /** Sessions whose checkpoints wait, because an earlier one was refused. */
  readonly #waiting = new Set<SessionId>();
  #removed: Promise<ReadonlySet<CheckpointId | undefined>> | undefined;
  #done = 0;

  constructor(from: Store, to: Store, options: SyncStoreOptions) {
    this.#from = from;
    this.#to = to;
    this.#options = options;
  }

  async run(): Promise<Report> {
    const { total } = await this.#from.parts.catalog.read({ total: { of: "count", where: { state: "live" } } });
    let after: number | undefined;
    for (;;) {
      const rows = await this.#batch(after);
      const absent = await this.#absent(rows.map(({ record }) => record));
      for (const { record } of rows) {
        if (this.#options.signal?.aborted === true) return { ...this.#report, isComplete: false };
        if (absent.has(record.id)) await this.#push(record);
        this.#options.onProgress?.({ done: ++this.#done, total: Math.max(total, this.#done) });
      }
      after = rows.at(-1)?.commit;
      if (rows.length < BATCH) break;
    }
    for (const session of this.#pushed.keys()) await this.#pushLabels(session);
    return this.#report;
  }

  async #batch(after: number | undefined): Promise<readonly CheckpointRow[]> {
    const read = { of: "checkpoints", where: { state: "live" }, order: "oldest", limit: BATCH, after } as const;
    return (await this.#from.parts.catalog.read({ rows: read })).rows;
  }

  /** Returns the ids of the checkpoints that the target never had, and counts the others. */
  async #absent(records: readonly CheckpointRecord[]): Promise<ReadonlySet<CheckpointId>> {
    if (records.length === 0) return new Set();
    const ids = records.flatMap((record) => [record.id, idWhenTaken(this.#to.parts, record)]);
    const { rows } = await this.#to.parts.catalog.read({
      rows: { of: "checkpoints", where: { state: "any", ids }, order: "any", limit: ALL },
    });
    const there = new Map(rows.map(({ record }) => [record.id, record]));
    const absent = new Set<CheckpointId>();
    for (const record of records) {
      const known = [there.get(record.id), there.get(idWhenTaken(this.#to.parts, record))];
      if (known.some((other) => other !== undefined && isSame(record, other))) this.#report.present += 1;
      else if ((await this.#removedThere()).has(record.id)) this.#report.removedThere += 1;
      else absent.add(record.id);
    }
    return absent;
  }

  /** Returns the ids that the target's audit log names as removed. Read only when something is missing there. */
  #removedThere(): Promise<ReadonlySet<CheckpointId | undefined>> {
    this.#removed ??= this.#to.parts.catalog
      .read({ rows: { of: "audit", query: { actions: ["delete", "prune"] } } })
      .then(({ rows }) => new Set(rows.map(({ checkpointId }) => checkpointId)));
    return this.#removed;
  }

  async #push(record: CheckpointRecord): Promise<void> {
    const { id: checkpointId, sessionId, parentId } = record;
    if (this.#waiting.has(sessionId)) return;
    try {
      const { parts, savePorts, loadPorts } = this.#to;
      const from = { ...this.#from.loadPorts, onLoaded: ignore };
      const { id, isNew, head } = await takeRecord({ ...loadPorts, ...savePorts, log: parts.log }, from, record);
      this.#report[isNew ? "pushed" : "present"] += 1;
      if (isNew && head !== undefined && (await this.#isOthers(sessionId, head))) {
        this.#report.forks.push({ sessionId, checkpointId: id, parentId, head });
      }
      this.#pushed.set(sessionId, id);
      if (id !== checkpointId) this.#report.renamed.push({ sessionId, checkpointId, now: id });
    } catch (error) {
      if (!isWorkrailError(error) || error.retryable) throw error;
      // The next checkpoints do not need a damaged one.
      if (error.code !== "CHECKPOINT_CORRUPT") this.#waiting.add(sessionId);
      this.#report.refused.push({ sessionId, checkpointId, code: error.code, message: error.message });
    }
  }

  /** Tells whether the head that a checkpoint found in the target is somebody else's. Forks of our own are no news. */
  async #isOthers(sessionId: SessionId, head: CheckpointId): Promise<boolean> {
    if (head === this.#pushed.get(sessionId)) return false;
    return (await findCheckpoint(this.#from.parts.catalog, head)) === undefined;
  }

  /** Adds the tags and pins of a session. Those that only the target has stay. */
  async #pushLabels(sessionId: SessionId): Promise<void> {
    const { parts, loadPorts } = this.#to;
    const [ours, theirs] = [await findSession(this.#from.parts.catalog, sessionId), await findSession(parts.catalog, sessionId)];
    if (ours === undefined || theirs === undefined) return;
    const add = ours.tags.filter((tag) => !theirs.tags.includes(tag));
    if (add.length > 0) await tagSession(parts, { sessionId, add });
    for (const key of ours.pins) await pinEntry({ ...loadPorts, clock: parts.clock }, { sessionId, key });
  }
}

/** Tells whether two records with the same id are the same checkpoint. Secrets may have been replaced in one. */
function isSame(record: CheckpointRecord, other: CheckpointRecord): boolean {
  return record.sessionId === other.sessionId && record.kind === other.kind && record.createdAt.getTime() === other.createdAt.getTime();
}

function ignore(): void {}
