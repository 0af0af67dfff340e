import type { Edge } from "../rows.ts";
import type { Reads } from "../reads.ts";
import { changed, KEY_OF } from "../rows.ts";
import { type Rule, rule } from "../rule.ts";

/** Adds edges whose dependent is live or in the trash, and drops others. Nothing would ever drop an edge of an unknown dependent. */
export function changeEdges({ add, drop }: { readonly add: readonly Edge[]; readonly drop: readonly Edge[] }): Rule<undefined> {
  const ids = [...new Set(add.map(({ dependent }) => dependent))];
  const named = [...add, ...drop];
  return rule({
    reads: {
      known: { of: "checkpoints", where: { state: "any", ids }, order: "any", limit: ids.length },
      there: { of: "edges", dependents: named.map(({ dependent }) => dependent), bases: named.map(({ base }) => base) },
    } as const satisfies Reads,
    decide({ known, there }) {
      const isKnown = new Set(known.map(({ record }) => record.id));
      const isThere = new Set(there.map(KEY_OF.edge));
      const added = add.filter((edge) => isKnown.has(edge.dependent) && !isThere.has(KEY_OF.edge(edge)));
      const dropped = drop.filter(
        (edge) => isThere.has(KEY_OF.edge(edge)) || added.some((each) => KEY_OF.edge(each) === KEY_OF.edge(edge)),
      );
      return {
        outcome: undefined,
        rows: [...added.map((edge) => changed("edge", undefined, edge)), ...dropped.map((edge) => changed("edge", edge, undefined))],
        audit: [],
      };
    },
  });
}
