import type { CheckpointId } from "../../model/ids.ts";
import { changed } from "../rows.ts";
import { type Rule, rule } from "../rule.ts";

/** Ends the erasures of checkpoints. Reads the unfinished ones at once: there are hardly any others. */
export function endErasures(checkpointIds: readonly CheckpointId[]): Rule<undefined> {
  const ended = new Set(checkpointIds);
  return rule({
    reads: { erasures: { of: "erasures" } } as const,
    decide({ erasures }) {
      const rows = erasures.filter(({ checkpointId }) => ended.has(checkpointId));
      return {
        outcome: undefined,
        rows: rows.map((erasure) => changed("erasure", erasure, undefined)),
        audit: [],
        touched: [...new Set(rows.map(({ sessionId }) => sessionId))],
      };
    },
  });
}
