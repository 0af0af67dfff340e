import { isWorkrailError } from "../../errors.ts";
import type { CheckpointId, SessionId } from "../../model/ids.ts";
import { type Erasure, listErasures } from "../../catalog/queries/list-erasures.ts";
import type { Clock, Log } from "../../ports/environment.ts";
import type { Locking } from "../../ports/locking.ts";
import type { SearchIndexing } from "../../ports/search-index.ts";
import type { Storage } from "../../ports/storage.ts";
import type { VectorIndexing } from "../../ports/vector-index.ts";
import { removeBlobs } from "./collect-garbage.ts";
import { detachDependents } from "../compact/detach-dependents.ts";
import type { ReadPorts } from "../load/read-context.ts";
import { findSession } from "../../catalog/queries/query-sessions.ts";
import { reclaimBlobs } from "../../catalog/rules/reclaim.ts";
import { reclaimAndForget } from "../../catalog/rules/reclaim-and-forget.ts";
import { commit } from "../../catalog/rules/commit.ts";
import { sumUsage } from "../../catalog/queries/sum-usage.ts";

export interface ErasingPorts extends ReadPorts {
  readonly locking: Locking;
  readonly clock: Clock;
  readonly log: Log;
  /** Places other than blobs and catalog that may contain traces. */
  readonly storage: Pick<Storage, "purge" | "keyFiles" | "vectors">;
  /** Default: no index. */
  readonly search?: SearchIndexing | undefined;
}

export interface FinishedErasures {
  /** Remaining data and the reason, one sentence each for the user; empty when everything is erased. */
  readonly left: readonly string[];
  /** Unreadable checkpoints that were deltas of erased ones. They are lost, as they were before. */
  readonly unreadable: readonly CheckpointId[];
}

/** Handling of sessions that become empty. Default: sessions of the erased checkpoints are forgotten, and no others. */
export interface EmptiedSessions {
  /** Sessions to forget as well, although no checkpoint of them is to be erased. */
  readonly forgotten?: readonly SessionId[] | undefined;
  /** Sessions not to forget yet, because a program may save to them again. */
  readonly kept?: ReadonlySet<SessionId> | undefined;
  /** Removes all traces from the storage. Default `true`; pending erasures always do. */
  readonly purges?: boolean | undefined;
}

/** Any checkpoint id yields the place of a session's key. */
const ANY = "any" as CheckpointId;

const NOTHING: FinishedErasures = { left: [], unreadable: [] };

/**
 * Finishes all pending erasures: re-encodes deltas of the erased checkpoints, overwrites their blobs, forgets empty sessions with
 * their keys, and removes all traces from the storage. Safe with other processes. An interrupted call is finished by the next
 * call.
 */
export async function finishErasures(ports: ErasingPorts, emptied: EmptiedSessions = {}): Promise<FinishedErasures> {
  return ports.locking.shared(async () => {
    const erasures = await listErasures(ports.catalog);
    if (erasures.length === 0 && (emptied.forgotten ?? []).length === 0) return NOTHING;
    const unreadable: CheckpointId[] = [];
    try {
      for (const erasure of erasures) unreadable.push(...(await detachDependents(ports, erasure)));
      const sessions = new Set([...erasures.map(({ sessionId }) => sessionId), ...(emptied.forgotten ?? [])]);
      const forgotten = new Set([...sessions].filter((id) => emptied.kept?.has(id) !== true));
      const left = [
        ...(await eraseBlobs(ports, erasures, forgotten)),
        ...(await eraseTraces(ports, erasures, { sessions, forgotten, purges: emptied.purges })),
      ];
      if (left.length === 0) await ports.catalog.change(commit({ erased: erasures.map(({ checkpointId }) => checkpointId), audit: [] }));
      return { left, unreadable };
    } catch (error) {
      // The erasure stays pending.
      if (!isWorkrailError(error) || error.code === "INTERNAL") throw error;
      ports.log.warn("an erasure is unfinished", { error });
      return { left: [error.message], unreadable };
    }
  });
}

async function eraseBlobs(
  ports: ErasingPorts,
  erasures: readonly Erasure[],
  forgotten: ReadonlySet<SessionId>,
): Promise<readonly string[]> {
  const { catalog } = ports;
  const remove = removeBlobs(ports);
  // With all pending removals, since removed deltas of the erased checkpoints go first.
  const pending = new Set(await reclaimAndForget(catalog, { sessions: forgotten, at: ports.clock.now() }, remove));
  // An interrupted erasure may have ended their removal before.
  const blobs = erasures.map(({ blob }) => blob).filter((blob) => !pending.has(blob));
  const reclaimed = new Set(blobs.length === 0 ? [] : await reclaimBlobs(catalog, blobs, remove));
  if (blobs.every((blob) => reclaimed.has(blob))) return [];
  const { removalsHeldUntil: until } = await sumUsage(catalog);
  return [
    until === undefined
      ? "A file is still needed by a checkpoint that is being changed."
      : `Files stay while they are copied, until ${until.toISOString()} at the latest.`,
  ];
}

interface Traces {
  /** Sessions whose texts and vectors may be left. */
  readonly sessions: ReadonlySet<SessionId>;
  /** Sessions among them to forget. */
  readonly forgotten: ReadonlySet<SessionId>;
  readonly purges: boolean | undefined;
}

async function eraseTraces(
  ports: ErasingPorts,
  erasures: readonly Erasure[],
  { sessions, forgotten, purges = true }: Traces,
): Promise<readonly string[]> {
  const ids = erasures.map(({ checkpointId }) => checkpointId);
  for (const sessionId of sessions) {
    if (forgotten.has(sessionId)) await forgetSession(ports, sessionId);
    // When a session is forgotten, its removed checkpoints are erased too: the index may not have followed yet.
    const isGone = (await findSession(ports.catalog, sessionId)) === undefined;
    await forgetTexts(ports.search, sessionId, isGone ? undefined : new Set(ids));
    if (isGone) await forgetVectors(ports.storage.vectors, sessionId);
  }
  await ports.storage.vectors?.forget(ids);
  return purges || ids.length > 0 ? ((await ports.storage.purge?.()) ?? []) : [];
}

/** Forgets a session that was empty before, and destroys the key of a forgotten one. Skips sessions with checkpoints or tagged `keep`. */
async function forgetSession(ports: ErasingPorts, sessionId: SessionId): Promise<void> {
  const { catalog, blobs, clock, storage } = ports;
  const isThere = (await findSession(catalog, sessionId)) !== undefined;
  if (isThere) await catalog.change(commit({ forget: { sessions: [sessionId], at: clock.now() }, audit: [] }));
  if (storage.keyFiles === undefined) return;
  const { keyFiles } = storage;
  const place = blobs.refOf({ sessionId, checkpointId: ANY });
  // Runs while commits are blocked. A blob that was put but not committed is then put again, sealed with another key.
  await reclaimBlobs(catalog, [place], async () => {
    if ((await findSession(catalog, sessionId)) === undefined) await keyFiles.destroy(place);
  });
}

/** Any space works: `settle` deletes vectors that are not live from all spaces. */
async function forgetVectors(vectors: VectorIndexing | undefined, sessionId: SessionId): Promise<void> {
  const [space] = (await vectors?.spaces()) ?? [];
  if (space !== undefined) await vectors?.settle(space, { sessionId, version: 0 }, []);
}

/**
 * Removes texts from the index. Noting the session first makes concurrent indexing fail its version check, so that it writes
 * nothing.
 *
 * @param erased `undefined`: all checkpoints of the session.
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
