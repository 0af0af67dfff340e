import type { CatalogReader } from "../catalog-port.ts";
import type { Contradictions } from "../reads.ts";
import { changed, type Edge } from "../rows.ts";
import { type Rule, rule } from "../rule.ts";
import type { SessionId } from "../../model/ids.ts";

/** Contradictions inside a catalog. */
export interface Discrepancies {
  /** Sessions whose stored count or size differs from the sum of their records. */
  readonly sums: readonly SessionId[];
  /** Missing edges: a record names the base, but the edge is not there. */
  readonly edges: readonly Edge[];
}

/** Finds the discrepancies of a catalog, and changes nothing. */
export async function findDiscrepancies(catalog: CatalogReader): Promise<Discrepancies> {
  return discrepanciesOf((await catalog.read({ found: { of: "contradictions" } })).found);
}

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

function discrepanciesOf({ sums, edges }: Contradictions): Discrepancies {
  return { sums: sums.flatMap(({ was }) => (was === undefined ? [] : [was.id])), edges };
}
