import type { CheckpointId } from "../../model/ids.ts";
import { changed } from "../rows.ts";
import { type Rule, rule } from "../rule.ts";

/** Ends the erasure of a checkpoint. */
export function endErasure(checkpointId: CheckpointId): Rule<undefined> {
  return rule({
    reads: { erasures: { of: "erasures", checkpointId } } as const,
    decide: ({ erasures }) => ({
      outcome: undefined,
      rows: erasures.map((erasure) => changed("erasure", erasure, undefined)),
      audit: [],
      touched: erasures.map(({ sessionId }) => sessionId),
    }),
  });
}
