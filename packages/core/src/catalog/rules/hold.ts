import { changed, type HoldRow } from "../rows.ts";
import { type Rule, rule } from "../rule.ts";

/** Stops the reclaiming of blobs until a time. Repeating it moves the end. */
export function hold(now: HoldRow): Rule<undefined> {
  return rule({
    reads: { holds: { of: "holds" } } as const,
    decide: ({ holds }) => ({
      outcome: undefined,
      rows: [
        changed(
          "hold",
          holds.find(({ holder }) => holder === now.holder),
          now,
        ),
      ],
      audit: [],
    }),
  });
}

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
