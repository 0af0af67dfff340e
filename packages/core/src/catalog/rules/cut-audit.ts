import { cutEvent, placeOf } from "../../audit/audit-chain.ts";

import type { Reads } from "../reads.ts";
import { nothing, type Rule, rule } from "../rule.ts";

export interface AuditCut {
  readonly before: Date;
  /** Time of the cut. */
  readonly at: Date;
  readonly limit: number;
}

/**
 * Removes the oldest rows of the audit log: up to the first row that is not older than `before`, and at most `limit` rows. Writes an
 * `audit-cut` row that names the last removed row, so that the rest can still be verified. Returns the number of removed rows.
 */
export function cutRows({ before, at, limit }: AuditCut): Rule<number> {
  return rule({
    reads: {
      first: { of: "audit", query: { first: "oldest", limit: 1 } },
      last: { of: "audit", query: { limit: 1 } },
      kept: { of: "audit", query: { first: "oldest", since: before, limit: 1 } },
    } as const satisfies Reads,
    decide({ first: [first], last: [last], kept: [kept] }) {
      if (first === undefined || last === undefined) return nothing(0);
      const through = Math.min(kept === undefined ? last.number : kept.number - 1, first.number + limit - 1);
      return rule({
        reads: { end: { of: "audit", query: { after: through + 1, limit: 1 } } } as const,
        decide({ end: [end] }) {
          if (end === undefined || through < first.number) return nothing(0);
          return { outcome: end.number - first.number + 1, rows: [], audit: [cutEvent(placeOf(end), at)], auditThrough: end.number };
        },
      });
    },
  });
}
