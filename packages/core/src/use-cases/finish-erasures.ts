import { isWorkrailError } from "../errors.ts";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import type { Erasure } from "../ports/catalog.ts";
import type { Clock, Log } from "../ports/environment.ts";
import type { Locking } from "../ports/locking.ts";
import type { SearchIndexing } from "../ports/search-index.ts";
import type { Storage } from "../ports/storage.ts";
import type { VectorIndexing } from "../ports/vector-index.ts";
import { removeBlob } from "./collect-garbage.ts";
import { detachDependents } from "./detach-dependents.ts";
import type { ReadPorts } from "./read-context.ts";

export interface ErasingPorts extends ReadPorts {
  readonly locking: Locking;
  readonly clock: Clock;
  readonly log: Log;
  /** What may hold traces of it beside blobs and catalog. */
  readonly storage: Pick<Storage, "purge" | "keyFiles" | "vectors">;
  /** Default: there is no index. */
  readonly search?: SearchIndexing | undefined;
}

export interface FinishedErasures {
  /** What is still there and why, a sentence each for the person; none when nothing of what was to be erased is left. */
  readonly left: readonly string[];
  /** Checkpoints that were stored against what was erased and cannot be read: they are lost, as they were before. */
  readonly unreadable: readonly CheckpointId[];
}

/** What becomes of sessions of which nothing remains. Default: those of the erased checkpoints are forgotten, and no others. */
export interface EmptiedSessions {
  /** To be forgotten too, though no checkpoint of them is to be erased. */
  readonly forgotten?: readonly SessionId[] | undefined;
  /** Not forgotten yet: whoever works in one may save to it again. */
  readonly kept?: ReadonlySet<SessionId> | undefined;
}

/** The place of a session's key is told by any blob of it, there or not. */
const ANY = "any" as CheckpointId;

const NOTHING: FinishedErasures = { left: [], unreadable: [] };

/**
 * Sees to it that nothing is left of the checkpoints that are to be erased: what is stored against them is stored otherwise, their
 * blobs are overwritten, a session of which nothing remains is forgotten with its key, and the storage is rid of all traces. Safe
 * beside other processes; may be interrupted at any moment, and is then finished by whoever calls it next.
 */
export async function finishErasures(ports: ErasingPorts, emptied: EmptiedSessions = {}): Promise<FinishedErasures> {
  return ports.locking.shared(async () => {
    const erasures = await ports.catalog.erasures();
    if (erasures.length === 0 && (emptied.forgotten ?? []).length === 0) return NOTHING;
    const unreadable: CheckpointId[] = [];
    try {
      for (const erasure of erasures) unreadable.push(...(await detachDependents(ports, erasure)));
      const left = [...(await eraseBlobs(ports, erasures)), ...(await eraseTraces(ports, erasures, emptied))];
      if (left.length === 0) await ports.catalog.commit({ erased: erasures.map(({ checkpointId }) => checkpointId), audit: [] });
      return { left, unreadable };
    } catch (error) {
      // It stays to be done.
      if (!isWorkrailError(error) || error.code === "INTERNAL") throw error;
      ports.log.warn("what is to be erased is not yet", { error });
      return { left: [error.message], unreadable };
    }
  });
}

async function eraseBlobs(ports: ErasingPorts, erasures: readonly Erasure[]): Promise<readonly string[]> {
  const { catalog } = ports;
  const remove = removeBlob(ports);
  // First what was removed and is stored against them.
  await catalog.reclaim(undefined, remove);
  const blobs = erasures.map(({ blob }) => blob);
  const reclaimed = new Set(await catalog.reclaim(blobs, remove));
  if (blobs.every((blob) => reclaimed.has(blob))) return [];
  const { removalsHeldUntil: until } = await catalog.usage();
  return [
    until === undefined
      ? "A file is still needed by a checkpoint that is changed at the same time."
      : `Files are being copied, at the longest until ${until.toISOString()}, and stay that long.`,
  ];
}

async function eraseTraces(
  ports: ErasingPorts,
  erasures: readonly Erasure[],
  { forgotten = [], kept }: EmptiedSessions,
): Promise<readonly string[]> {
  const ids = erasures.map(({ checkpointId }) => checkpointId);
  for (const sessionId of new Set([...erasures.map((erasure) => erasure.sessionId), ...forgotten])) {
    if (kept?.has(sessionId) !== true) await forgetSession(ports, sessionId);
    // Of a session that is gone what was only removed goes too: the index may not have followed yet.
    const isGone = (await ports.catalog.session(sessionId)) === undefined;
    await forgetTexts(ports.search, sessionId, isGone ? undefined : new Set(ids));
    if (isGone) await forgetVectors(ports.storage.vectors, sessionId);
  }
  await ports.storage.vectors?.forget(ids);
  return (await ports.storage.purge?.()) ?? [];
}

/** A session that is used again meanwhile, or that somebody wants kept, stays, and so does its key. */
async function forgetSession(ports: ErasingPorts, sessionId: SessionId): Promise<void> {
  const { catalog, blobs, clock, storage } = ports;
  const at = clock.now();
  const used = (await catalog.session(sessionId))?.lastAccessedAt ?? at;
  const unusedSince = used > at ? used : at;
  await catalog.commit({ forget: { sessions: [sessionId], unusedSince, at }, audit: [] });
  if (storage.keyFiles === undefined) return;
  const { keyFiles } = storage;
  const place = blobs.refOf({ sessionId, checkpointId: ANY });
  // While nobody can commit. What has been put and not yet committed is put again, then, and sealed with another key.
  await catalog.reclaim([place], async () => {
    if ((await catalog.session(sessionId)) === undefined) await keyFiles.destroy(place);
  });
}

/** Any space will do: what is not live is forgotten in all of them. */
async function forgetVectors(vectors: VectorIndexing | undefined, sessionId: SessionId): Promise<void> {
  const [space] = (await vectors?.spaces()) ?? [];
  if (space !== undefined) await vectors?.settle(space, { sessionId, version: 0 }, []);
}

/**
 * Whoever reads the session to index it meanwhile finds that it was changed, and writes nothing of it.
 *
 * @param erased `undefined`: all of it is.
 */
async function forgetTexts(
  search: SearchIndexing | undefined,
  sessionId: SessionId,
  erased: ReadonlySet<CheckpointId> | undefined,
): Promise<void> {
  if (search === undefined) return;
  await search.note({ sessions: [{ sessionId, isExtended: false }] });
  for (;;) {
    const { version, checkpoints } = await search.indexed(sessionId);
    const remove = checkpoints.map(({ checkpointId }) => checkpointId).filter((id) => erased?.has(id) !== false);
    if (remove.length === 0) return;
    if (await search.update({ sessionId, version, remove, add: [], sessionTags: [], isDone: false })) return;
  }
}
