import type { Discrepancies } from "../../ports/catalog.ts";
import type { Contradictions } from "../reads.ts";
import { changed } from "../rows.ts";
import { type Rule, rule } from "../rule.ts";

/** Corrects the redundant data of the catalog. Returns the discrepancies that were found. */
export function reconcile(): Rule<Discrepancies> {
  return rule({
    reads: { found: { of: "contradictions" } } as const,
    decide: ({ found }) => ({
      outcome: discrepanciesOf(found),
      rows: [
        ...found.sums.map(({ was, now }) => changed("session", was, now)),
        ...found.edges.map((edge) => changed("edge", undefined, edge)),
      ],
      audit: [],
    }),
  });
}

/** Names the contradictions for a report. */
export function discrepanciesOf({ sums, edges }: Contradictions): Discrepancies {
  return { sums: sums.flatMap(({ was }) => (was === undefined ? [] : [was.id])), edges };
}
