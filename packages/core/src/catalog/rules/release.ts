import { changed } from "../rows.ts";
import { type Rule, rule } from "../rule.ts";

/** Ends the hold of a holder. */
export function release(holder: string): Rule<undefined> {
  return rule({
    reads: { holds: { of: "holds" } } as const,
    decide: ({ holds }) => ({
      outcome: undefined,
      rows: holds.filter((row) => row.holder === holder).map((row) => changed("hold", row, undefined)),
      audit: [],
    }),
  });
}
