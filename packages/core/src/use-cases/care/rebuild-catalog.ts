import { isWorkrailError, WorkrailError } from "../../errors.ts";
import type { NewRecord } from "../../model/checkpoint.ts";
import type { BlobRef, CheckpointId, SessionId } from "../../model/ids.ts";
import type { Limits } from "../../model/limits.ts";
import type { SessionFacts } from "../../model/session.ts";
import type { BlobStore } from "../../ports/blob-store.ts";
import type { Codec } from "../../ports/codec.ts";
import type { Clock, Digester } from "../../ports/environment.ts";
import type { Locking } from "../../ports/locking.ts";
import { fill, NOTHING_KNOWN } from "../../catalog/fill.ts";
import { orderByLineage } from "./order-by-lineage.ts";
import { readBlobs, type ReadBlobsProgress } from "./read-blobs.ts";
import type { ChainedRecovery } from "../../catalog/catalog-port.ts";

export interface RebuildPorts {
  readonly recovery: ChainedRecovery;
  readonly blobs: BlobStore;
  readonly codec: Codec;
  readonly digests: Digester;
  readonly locking: Locking;
  readonly clock: Clock;
  readonly limits: Pick<Limits, "maxContextBytes">;
}

export interface RebuildOptions {
  /** Called after each blob. */
  readonly onProgress?: ((progress: ReadBlobsProgress) => void) | undefined;
}

export interface RebuildReport {
  readonly checkpoints: number;
  readonly sessions: number;
  /** Checkpoints removed earlier and not brought back, although their files still exist. */
  readonly removedEarlier: number;
  /** Unreadable blobs with error codes. They stay where they are. */
  readonly unreadable: readonly { readonly ref: BlobRef; readonly code: string }[];
  /** Data that no file holds, and that is lost with the old catalog. */
  readonly notRebuilt: readonly string[];
}

const NOT_REBUILT = ["the audit log", "access times"] as const;

/**
 * Rebuilds the catalog from the blobs and the session facts alone. Orders checkpoints by lineage, then creation time, then id.
 * Removed checkpoints stay removed.
 *
 * @throws STORE_IN_USE while another process has the store open; STORAGE_UNAVAILABLE, and the old catalog stays.
 */
export async function rebuildCatalog(ports: RebuildPorts, options: RebuildOptions = {}): Promise<RebuildReport> {
  return ports.locking.exclusively(() => rebuild(ports, options));
}

/** Attempts while another process is in the way: a process that only opens the store is soon done. */
const MAX_ATTEMPTS = 2;

/**
 * Rebuilds a lost catalog. When several processes find it lost, one rebuilds it and the others use the result.
 *
 * @returns the report, or `undefined` when there was nothing to do, or another process did it.
 * @throws STORE_IN_USE while another process that is not rebuilding has the store open; STORAGE_UNAVAILABLE.
 */
export async function recoverCatalog(ports: RebuildPorts, options: RebuildOptions = {}): Promise<RebuildReport | undefined> {
  const isNeeded = (): Promise<boolean> => ports.recovery.state().then((state) => state === "lost");
  for (let attempt = 1; await isNeeded(); attempt++) {
    try {
      return await ports.locking.exclusively(async () => ((await isNeeded()) ? rebuild(ports, options) : undefined), isNeeded);
    } catch (error) {
      if (!isWorkrailError(error) || error.code !== "STORE_IN_USE") throw error;
      if (attempt === MAX_ATTEMPTS) throw inTheWay(error);
    }
  }
  return undefined;
}

/** Returns an error that explains what other processes block. */
function inTheWay(cause: WorkrailError): WorkrailError {
  return new WorkrailError(
    "STORE_IN_USE",
    "The catalog is lost or damaged, and cannot be rebuilt while another process has the store open.",
    {
      hint: "Stop the other Workrail servers and commands that use this data directory, then try again.",
      cause,
    },
  );
}

/**
 * True for real damage. A blob that is only temporarily unreadable must not be left out: the next rebuild might take it for
 * removed, because of the oldest checkpoint left.
 */
function isDamage(error: unknown): error is WorkrailError {
  return isWorkrailError(error) && (error.code !== "STORAGE_UNAVAILABLE" || error.details["reason"] === "wrong-kind-of-file");
}

async function rebuild(ports: RebuildPorts, { onProgress }: RebuildOptions): Promise<RebuildReport> {
  const { records, unreadable } = await readBlobs(ports, { onProgress, isPassedOver: isDamage });
  const facts = await readSessionFacts(ports, new Set([...records.map(({ blob }) => blob), ...unreadable.map(({ ref }) => ref)]));
  // Removed checkpoints are included here, because they determine the order of the others.
  const { live, removed } = dropRemoved(orderByLineage(records), facts);
  const { unique, repeated } = separateRepeated(live);
  const entombed = removed.filter(({ id, sessionId }) => facts.get(sessionId)?.tombstones.includes(id));
  const kept = [...unique, ...entombed];
  const at = ports.clock.now();
  const audit = { at, action: "rebuild", sessionId: undefined, checkpointId: undefined, agentId: undefined } as const;
  const content = fill({ records: kept, sessions: completeFacts(kept, facts), audit }, (key) => ports.blobs.refOf(key));
  await ports.recovery.replaceAll(content, "kept-aside");
  return {
    checkpoints: unique.length,
    sessions: new Set(unique.map((record) => record.sessionId)).size,
    removedEarlier: removed.length,
    unreadable: [...unreadable, ...repeated.map(({ blob }) => ({ ref: blob, code: "CONFLICT" }))],
    notRebuilt: [...NOT_REBUILT, ...withoutFacts(live, facts)],
  };
}

/** Most sessions listed. */
const MOST_NAMED = 5;

/** Lists sessions without a facts file, which is written before their first record. */
function withoutFacts(live: readonly NewRecord[], facts: ReadonlyMap<SessionId, SessionFacts>): readonly string[] {
  const sessions = [...new Set(live.map(({ sessionId }) => sessionId))].filter((sessionId) => !facts.has(sessionId));
  if (sessions.length === 0) return [];
  const more = sessions.length > MOST_NAMED ? ` and ${sessions.length - MOST_NAMED} more` : "";
  const named = `${sessions.slice(0, MOST_NAMED).join(", ")}${more}`;
  return [`tags, critical keys and removals of sessions whose session file is missing or damaged: ${named}`];
}

/** Separates blobs with repeated ids. Two sessions can have a blob with the same id after a refused save, until garbage collection. */
function separateRepeated(records: readonly NewRecord[]): { unique: NewRecord[]; repeated: NewRecord[] } {
  const seen = new Set<CheckpointId>();
  const isNew = records.map(({ id }) => !seen.has(id) && seen.add(id) !== undefined);
  return { unique: records.filter((_, index) => isNew[index]), repeated: records.filter((_, index) => !isNew[index]) };
}

/**
 * Reads the session facts. Facts are written before their commit: when the checkpoint they name as the oldest left has no blob,
 * the commit never happened, and it removed nothing.
 */
async function readSessionFacts(ports: RebuildPorts, present: ReadonlySet<BlobRef>): Promise<Map<SessionId, SessionFacts>> {
  const facts = new Map<SessionId, SessionFacts>();
  for await (const each of ports.recovery.sessionFacts()) {
    const { sessionId, oldestLive } = each;
    const isOfCommit = oldestLive === null || present.has(ports.blobs.refOf({ sessionId, checkpointId: oldestLive }));
    // Checkpoints being erased stay removed even then.
    facts.set(sessionId, isOfCommit ? each : { ...each, tombstones: each.erasing, oldestLive: null, trash: [] });
  }
  return facts;
}

/**
 * Drops removed checkpoints: tombstones, and workflow checkpoints before the oldest live one unless they are in the trash,
 * however their files came back.
 */
function dropRemoved(
  records: readonly NewRecord[],
  facts: ReadonlyMap<SessionId, SessionFacts>,
): { live: NewRecord[]; removed: NewRecord[] } {
  const bySession = new Map<SessionId, Map<CheckpointId, NewRecord>>();
  for (const record of records) {
    const inSession = bySession.get(record.sessionId) ?? new Map<CheckpointId, NewRecord>();
    bySession.set(record.sessionId, inSession.set(record.id, record));
  }
  const dead = new Set<NewRecord | undefined>();
  for (const { sessionId, tombstones, erasing, oldestLive, trash } of facts.values()) {
    const inTrash = new Set(trash.map(({ checkpointId }) => checkpointId));
    // A checkpoint removed from one session may be live in another.
    const inSession = bySession.get(sessionId) ?? new Map<CheckpointId, NewRecord>();
    for (const id of [...tombstones, ...erasing]) dead.add(inSession.get(id));
    for (const ancestor of ancestorsOf(oldestLive, inSession))
      if (ancestor.kind === "workflow" && !inTrash.has(ancestor.id)) dead.add(ancestor);
  }
  return { live: records.filter((record) => !dead.has(record)), removed: records.filter((record) => dead.has(record)) };
}

/**
 * Returns the ancestors within the session; the origin of a fork in another session is independent. Empty for cyclic lineage: an
 * id that was removed and saved again is live.
 */
function ancestorsOf(id: CheckpointId | null, inSession: ReadonlyMap<CheckpointId, NewRecord>): Iterable<NewRecord> {
  const parentOf = (record: NewRecord | undefined): NewRecord | undefined =>
    record === undefined || record.parentId === null ? undefined : inSession.get(record.parentId);
  const record = id === null ? undefined : inSession.get(id);
  const ancestors = new Set<NewRecord>();
  for (let ancestor = parentOf(record); ancestor !== undefined; ancestor = parentOf(ancestor)) {
    if (ancestor === record || ancestors.has(ancestor)) return [];
    ancestors.add(ancestor);
  }
  return ancestors;
}

/**
 * Completes the session facts. A session without a facts file began with its first checkpoint. A session that is being erased is
 * kept until the erasure is finished.
 */
function completeFacts(live: readonly NewRecord[], known: ReadonlyMap<SessionId, SessionFacts>): SessionFacts[] {
  const sessions = new Map([...known].filter(([, { erasing }]) => erasing.length > 0));
  for (const { sessionId, createdAt } of live) {
    const facts = known.get(sessionId) ?? sessions.get(sessionId);
    const isFirst = facts === undefined || (!known.has(sessionId) && createdAt < facts.createdAt);
    sessions.set(sessionId, isFirst ? { sessionId, createdAt, ...NOTHING_KNOWN } : facts);
  }
  return [...sessions.values()];
}
