import { placeOf } from "../../audit/audit-chain.ts";
import { cutEvent } from "../../audit/audit-cut.ts";
import type { AuditCut } from "../../ports/catalog.ts";
import type { Reads } from "../reads.ts";
import { nothing, type Rule, rule } from "../rule.ts";

/** Removes the oldest rows of the audit log. The row that records this names the last removed row. Returns their number. */
export function cutAudit({ before, at, limit }: AuditCut): Rule<number> {
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
