import type { BlobRef, CheckpointId } from "../../model/ids.ts";
import type { CatalogPort } from "../catalog-port.ts";
import type { Facts, Reads } from "../reads.ts";
import { changed, type RemovalRow, type RowChange } from "../rows.ts";
import { type Decision, type Rule, rule } from "../rule.ts";

/** Most blobs that one step removes, while saves wait: unlinking takes some 0.05 ms, overwriting waits for the disk. */
export const BATCH = 500;
const OVERWRITTEN = 100;

/**
 * Removes blobs that no record, live or in the trash, and no edge needs. Calls `remove` with some of these refs at a time while no change of any
 * process can start to need it, and resolves to the removed refs. They no longer count as pending removals. Without `refs`, takes the
 * pending removals: blobs of removed checkpoints that are not reclaimed yet. Removes nothing while a hold is active.
 */
export function reclaimBlobs(
  catalog: Pick<CatalogPort, "change">,
  refs: readonly BlobRef[] | undefined,
  remove: RemoveBlobs,
): Promise<readonly BlobRef[]> {
  return inBatches((removed) => {
    const waiting = refs?.filter((ref) => !removed.has(ref));
    return catalog.change(reclaim({ refs: waiting, now: new Date(), limit: BATCH, remove }));
  });
}

/** Removes batches until none is left: a removed blob may have been the last one that needed another. Resolves to all removed refs. */
export async function inBatches(removeSome: (removed: ReadonlySet<BlobRef>) => Promise<readonly BlobRef[]>): Promise<readonly BlobRef[]> {
  const removed = new Set<BlobRef>();
  for (;;) {
    const batch = await removeSome(removed);
    for (const ref of batch) removed.add(ref);
    if (batch.length === 0) return [...removed];
  }
}

/** Removes unneeded blobs. @param toBeErased blobs to overwrite: use `BlobStore.erase`. */
export type RemoveBlobs = (refs: readonly BlobRef[], toBeErased: ReadonlySet<BlobRef>) => Promise<void>;

export interface Reclaiming {
  /** Candidates; without them, the pending removals. */
  readonly refs: readonly BlobRef[] | undefined;
  readonly now: Date;
  /** Blobs to remove in one step: few enough that a waiting save hardly notices. */
  readonly limit: number;
  readonly remove: RemoveBlobs;
}

/**
 * Removes blobs that no checkpoint and no edge needs, dependents before their bases; none while a hold is active. Returns their refs. With
 * a pending removal that nothing needs, the others of its session are candidates too: it may have been the last that needed them.
 */
export function reclaim({ refs, now, limit, remove }: Reclaiming): Rule<readonly BlobRef[]> {
  return rule({
    reads: {
      holds: { of: "holds" },
      removals: { of: "removals", ...(refs === undefined ? { isDone: false, isNoBase: true, limit } : { blobs: refs }) },
    } as const satisfies Reads,
    decide({ holds, removals }): Decision<readonly BlobRef[]> | Rule<readonly BlobRef[]> {
      const expired = holds.filter(({ until }) => until <= now).map((row) => changed("hold", row, undefined));
      if (expired.length < holds.length || (refs ?? removals).length === 0) return { outcome: [], rows: expired, audit: [] };
      if (refs !== undefined) return removing([...new Set(refs)], removals, { expired, limit, remove });
      return rule({
        reads: Object.fromEntries(removals.map(({ sessionId }) => [sessionId, { of: "removals", sessionId, isDone: false } as const])),
        decide(pending) {
          const all = Object.values(pending).flat();
          const candidates = all.map(({ blob }) => blob);
          return removing(candidates, all, { expired, limit, remove });
        },
      });
    },
  });
}

/** Removes the candidates that nothing needs. */
function removing(
  candidates: readonly BlobRef[],
  removals: readonly RemovalRow[],
  { expired, limit, remove }: Pick<Reclaiming, "limit" | "remove"> & { readonly expired: readonly RowChange[] },
): Rule<readonly BlobRef[]> {
  return rule({
    reads: needReads(candidates, removals),
    decide(facts) {
      const toBeErased = new Set(facts.erasures.map(({ blob }) => blob));
      const most = toBeErased.size > 0 ? Math.min(limit, OVERWRITTEN) : limit;
      const needless = needlessOf(candidates, removals, facts).slice(0, most);
      const known = new Set(removals.map(({ blob }) => blob));
      return {
        outcome: needless,
        rows: [...expired, ...rowsOf(new Set(needless), removals, facts)],
        audit: [],
        strays: needless.filter((ref) => !known.has(ref)),
        async blobs() {
          if (needless.length > 0) await remove(needless, toBeErased);
          return true;
        },
      };
    },
  });
}

function needReads(blobs: readonly BlobRef[], removals: readonly RemovalRow[]) {
  const ids = removals.map(({ checkpointId }) => checkpointId);
  const sessionIds = [...new Set(removals.map(({ sessionId }) => sessionId))];
  return {
    kept: { of: "checkpoints", where: { state: "any", blobs }, order: "any", limit: blobs.length },
    alive: { of: "checkpoints", where: { state: "any", ids }, order: "any", limit: ids.length },
    needed: { of: "edges", bases: ids },
    needing: { of: "edges", dependents: ids, sessionIds },
    erasures: { of: "erasures", blobs },
  } as const satisfies Reads;
}

type NeedFacts = Facts<ReturnType<typeof needReads>>;

/**
 * A checkpoint needs its blob. A removed checkpoint may still be the base of another one, until that one goes too. Dependents come before
 * their bases, so that any first part of the result can go alone.
 */
function needlessOf(
  candidates: readonly BlobRef[],
  removals: readonly RemovalRow[],
  { kept, alive, needed }: NeedFacts,
): readonly BlobRef[] {
  const isKept = new Set(kept.map(({ record }) => record.blob));
  const isAlive = new Set(alive.map(({ record }) => record.id));
  const idOf = new Map(removals.map(({ blob, checkpointId }) => [blob, checkpointId]));
  const dependents = new Map<CheckpointId, number>();
  const edgesOf = new Map<CheckpointId, CheckpointId[]>();
  for (const { dependent, base } of needed) {
    dependents.set(base, (dependents.get(base) ?? 0) + 1);
    edgesOf.set(dependent, [...(edgesOf.get(dependent) ?? []), base]);
  }
  const isFree = (id: CheckpointId | undefined): boolean => id === undefined || (dependents.get(id) ?? 0) === 0;
  const unkept = candidates.filter((ref) => !isKept.has(ref));
  const waiting = new Map(unkept.flatMap((ref) => (isFree(idOf.get(ref)) ? [] : [[idOf.get(ref), ref] as const])));
  const needless = unkept.filter((ref) => isFree(idOf.get(ref)));
  // The list grows: a removed dependent may be the last that needed its base.
  for (const ref of needless) {
    const id = idOf.get(ref);
    if (id === undefined || isAlive.has(id)) continue;
    for (const base of edgesOf.get(id) ?? []) {
      dependents.set(base, (dependents.get(base) ?? 0) - 1);
      const next = isFree(base) ? waiting.get(base) : undefined;
      if (next !== undefined) needless.push(next);
    }
  }
  return needless;
}

/** The blob is gone: its checkpoint no longer needs the bytes of others. */
function rowsOf(gone: ReadonlySet<BlobRef>, removals: readonly RemovalRow[], { alive, needing }: NeedFacts): readonly RowChange[] {
  const isAlive = new Set(alive.map(({ record }) => record.id));
  const done = removals.filter(({ blob }) => gone.has(blob));
  const free = new Set(done.map(({ checkpointId }) => checkpointId).filter((id) => !isAlive.has(id)));
  return [
    ...done.map((removal) => changed("removal", removal, { ...removal, isDone: true })),
    ...needing.filter(({ dependent }) => free.has(dependent)).map((edge) => changed("edge", edge, undefined)),
  ];
}
