import type { BlobRef } from "../../model/ids.ts";

import type { Facts, Reads } from "../reads.ts";
import { changed, type RemovalRow, type RowChange } from "../rows.ts";
import { type Decision, type Rule, rule } from "../rule.ts";

/** @param isToBeErased true when nothing of the blob may remain: use `BlobStore.erase`. */
export type RemoveBlob = (ref: BlobRef, isToBeErased: boolean) => Promise<void>;

export interface Reclaiming {
  /** Candidates; without them, the pending removals. */
  readonly refs: readonly BlobRef[] | undefined;
  readonly now: Date;
  /** Blobs to remove in one step: few enough that a waiting save hardly notices. */
  readonly limit: number;
  readonly remove: RemoveBlob;
}

/** Removes blobs that no checkpoint and no edge needs; none while a hold is active. Returns their refs. */
export function reclaim({ refs, now, limit, remove }: Reclaiming): Rule<readonly BlobRef[]> {
  return rule({
    reads: {
      holds: { of: "holds" },
      removals: { of: "removals", ...(refs === undefined ? { isDone: false, isNoBase: true, limit } : { blobs: refs }) },
    } as const satisfies Reads,
    decide({ holds, removals }): Decision<readonly BlobRef[]> | Rule<readonly BlobRef[]> {
      const expired = holds.filter(({ until }) => until <= now).map((row) => changed("hold", row, undefined));
      const candidates = [...new Set(refs ?? removals.map(({ blob }) => blob))];
      if (expired.length < holds.length || candidates.length === 0) return { outcome: [], rows: expired, audit: [] };
      return rule({
        reads: needReads(candidates, removals),
        decide(facts) {
          const needless = needlessOf(candidates, removals, facts).slice(0, limit);
          const known = new Set(removals.map(({ blob }) => blob));
          const toBeErased = new Set(facts.erasures.map(({ blob }) => blob));
          return {
            outcome: needless,
            rows: [...expired, ...rowsOf(new Set(needless), removals, facts)],
            audit: [],
            strays: needless.filter((ref) => !known.has(ref)),
            async blobs() {
              for (const ref of needless) await remove(ref, toBeErased.has(ref));
              return true;
            },
          };
        },
      });
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

/** A checkpoint needs its blob. A removed checkpoint may still be the base of another one. */
function needlessOf(candidates: readonly BlobRef[], removals: readonly RemovalRow[], { kept, needed }: NeedFacts): readonly BlobRef[] {
  const bases = new Set(needed.map(({ base }) => base));
  const based = removals.filter(({ checkpointId }) => bases.has(checkpointId)).map(({ blob }) => blob);
  const isNeeded = new Set([...kept.map(({ record }) => record.blob), ...based]);
  return candidates.filter((ref) => !isNeeded.has(ref));
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
