import { isWorkrailError, WorkrailError } from "../errors.ts";
import type { NewRecord } from "../model/checkpoint.ts";
import type { BlobRef, CheckpointId, SessionId } from "../model/ids.ts";
import type { Limits } from "../model/limits.ts";
import type { SessionFacts } from "../model/session.ts";
import type { BlobStore } from "../ports/blob-store.ts";
import type { CatalogRecovery } from "../ports/catalog.ts";
import type { Codec } from "../ports/codec.ts";
import type { Clock, Digester } from "../ports/environment.ts";
import type { Locking } from "../ports/locking.ts";
import { orderByLineage } from "./order-by-lineage.ts";
import { readBlobs, type ReadBlobsProgress } from "./read-blobs.ts";

export interface RebuildPorts {
  readonly recovery: CatalogRecovery;
  readonly blobs: BlobStore;
  readonly codec: Codec;
  readonly digests: Digester;
  readonly locking: Locking;
  readonly clock: Clock;
  readonly limits: Pick<Limits, "maxContextBytes">;
}

export interface RebuildOptions {
  /** Told after each blob. */
  readonly onProgress?: ((progress: ReadBlobsProgress) => void) | undefined;
}

export interface RebuildReport {
  readonly checkpoints: number;
  readonly sessions: number;
  /** Removed earlier, and not brought back although the file was still there. */
  readonly removedEarlier: number;
  /** Blobs that could not be read, with the error code; they are left where they are. */
  readonly unreadable: readonly { readonly ref: BlobRef; readonly code: string }[];
  /** What no file holds, and is therefore gone with the old catalog. */
  readonly notRebuilt: readonly string[];
}

const NOT_REBUILT = ["the audit log", "times of access"] as const;

/**
 * Makes the catalog anew from the blobs and the sessions' own facts alone. Checkpoints are ordered by lineage, then
 * creation time, then id; what was removed stays removed.
 *
 * @throws STORE_IN_USE while another process has the store open; STORAGE_UNAVAILABLE, and then the old catalog stands.
 */
export async function rebuildCatalog(ports: RebuildPorts, options: RebuildOptions = {}): Promise<RebuildReport> {
  return ports.locking.exclusively(() => rebuild(ports, options));
}

/** How often another process may be in the way of a recovery before that is told: those who just open the store are soon done. */
const MAX_ATTEMPTS = 2;

/**
 * Rebuilds a catalog that was lost. Of many processes that find it lost one does, and the others take what it made.
 *
 * @returns the report, or `undefined` when there was nothing to be done, or it was done elsewhere.
 * @throws STORE_IN_USE while another process that does not recover it has the store open; STORAGE_UNAVAILABLE.
 */
export async function recoverCatalog(ports: RebuildPorts, options: RebuildOptions = {}): Promise<RebuildReport | undefined> {
  const isNeeded = (): Promise<boolean> => ports.recovery.needsRebuild();
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

/** Whoever asked for something else is told what others are in the way of. */
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

/** What could not be read and may be another time is no damage: left out, the next rebuild might take it for removed, by what is the oldest left. */
function isDamage(error: unknown): error is WorkrailError {
  return isWorkrailError(error) && (error.code !== "STORAGE_UNAVAILABLE" || error.details["reason"] === "wrong-kind-of-file");
}

async function rebuild(ports: RebuildPorts, { onProgress }: RebuildOptions): Promise<RebuildReport> {
  const { records, unreadable } = await readBlobs(ports, { onProgress, isPassedOver: isDamage });
  const facts = await readSessionFacts(ports, new Set([...records.map(({ blob }) => blob), ...unreadable.map(({ ref }) => ref)]));
  // What was removed and is still there tells of the order of the others.
  const { live, removed } = dropRemoved(orderByLineage(records), facts);
  const { unique, repeated } = separateRepeated(live);
  const entombed = removed.filter(({ id, sessionId }) => facts.get(sessionId)?.tombstones.includes(id));
  await ports.recovery.replaceAll([...unique, ...entombed], completeFacts([...unique, ...entombed], facts), {
    at: ports.clock.now(),
    action: "rebuild",
    sessionId: undefined,
    checkpointId: undefined,
    agentId: undefined,
  });
  return {
    checkpoints: unique.length,
    sessions: new Set(unique.map((record) => record.sessionId)).size,
    removedEarlier: removed.length,
    unreadable: [...unreadable, ...repeated.map(({ blob }) => ({ ref: blob, code: "CONFLICT" }))],
    notRebuilt: [...NOT_REBUILT, ...withoutFacts(live, facts)],
  };
}

/** Of many, some are named. */
const MOST_NAMED = 5;

/** A session's own file is written before the first record of it is. */
function withoutFacts(live: readonly NewRecord[], facts: ReadonlyMap<SessionId, SessionFacts>): readonly string[] {
  const sessions = [...new Set(live.map(({ sessionId }) => sessionId))].filter((sessionId) => !facts.has(sessionId));
  if (sessions.length === 0) return [];
  const more = sessions.length > MOST_NAMED ? ` and ${sessions.length - MOST_NAMED} more` : "";
  const named = `${sessions.slice(0, MOST_NAMED).join(", ")}${more}`;
  return [`tags, critical keys and removals of sessions whose own file is missing or damaged: ${named}`];
}

/** Two sessions can have a blob of one id, when a save was refused for it and its garbage not yet collected. */
function separateRepeated(records: readonly NewRecord[]): { unique: NewRecord[]; repeated: NewRecord[] } {
  const seen = new Set<CheckpointId>();
  const isNew = records.map(({ id }) => !seen.has(id) && seen.add(id) !== undefined);
  return { unique: records.filter((_, index) => isNew[index]), repeated: records.filter((_, index) => !isNew[index]) };
}

/**
 * Facts are written before the commit that they tell of. When the checkpoint that they name the oldest left has no blob,
 * that commit never was, and it removed nothing.
 */
async function readSessionFacts(ports: RebuildPorts, present: ReadonlySet<BlobRef>): Promise<Map<SessionId, SessionFacts>> {
  const facts = new Map<SessionId, SessionFacts>();
  for await (const each of ports.recovery.sessionFacts()) {
    const { sessionId, oldestLive } = each;
    const isOfCommit = oldestLive === null || present.has(ports.blobs.refOf({ sessionId, checkpointId: oldestLive }));
    // What is to be erased does not come back for that.
    facts.set(sessionId, isOfCommit ? each : { ...each, tombstones: each.erasing, oldestLive: null, trash: [] });
  }
  return facts;
}

/** Tombstones win; and no workflow checkpoint before the oldest live one comes back, however its file returned, unless it is in the trash. */
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
    // What was removed from one session may live in another.
    const inSession = bySession.get(sessionId) ?? new Map<CheckpointId, NewRecord>();
    for (const id of [...tombstones, ...erasing]) dead.add(inSession.get(id));
    for (const ancestor of ancestorsOf(oldestLive, inSession))
      if (ancestor.kind === "workflow" && !inTrash.has(ancestor.id)) dead.add(ancestor);
  }
  return { live: records.filter((record) => !dead.has(record)), removed: records.filter((record) => dead.has(record)) };
}

/**
 * Within the session: a fork's origin elsewhere has a life of its own. None where the lineage leads back to where it
 * began: an id that was removed and saved again lives.
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

/** A session without facts of its own began with its first checkpoint. One of which all is being erased is kept for that. */
function completeFacts(live: readonly NewRecord[], known: ReadonlyMap<SessionId, SessionFacts>): SessionFacts[] {
  const sessions = new Map([...known].filter(([, { erasing }]) => erasing.length > 0));
  for (const record of live) {
    const facts = known.get(record.sessionId) ?? sessions.get(record.sessionId);
    const isFirst = facts === undefined || (!known.has(record.sessionId) && record.createdAt < facts.createdAt);
    sessions.set(record.sessionId, isFirst ? factsOf(record) : facts);
  }
  return [...sessions.values()];
}

function factsOf(record: NewRecord): SessionFacts {
  return {
    sessionId: record.sessionId,
    createdAt: record.createdAt,
    tags: [],
    pins: [],
    tombstones: [],
    erasing: [],
    oldestLive: null,
    trash: [],
    shields: [],
  };
}
