import { type JsonValue, type Layer, LAYERS } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { classifyEntry } from "./word-classifier.ts";
import { LABELLED_BY_DOMAIN } from "./testing/labelled-by-domain.ts";
import { LABELLED_ENTRIES } from "./testing/labelled-entries.ts";
import { LABELLED_SENTENCES } from "./testing/labelled-sentences.ts";
import { LABELLED_STATES } from "./testing/labelled-states.ts";
import { LABELLED_TRADES } from "./testing/labelled-trades.ts";
import { LABELLED_WORK } from "./testing/labelled-work.ts";

interface LabelledSet {
  readonly name: string;
  readonly set: { readonly [L in Layer]: readonly (readonly [key: string, value: JsonValue])[] };
  readonly leastOfLayer: number;
}

const SETS: readonly LabelledSet[] = [
  { name: "entries", set: LABELLED_ENTRIES, leastOfLayer: 0.95 },
  { name: "entries by domain", set: LABELLED_BY_DOMAIN, leastOfLayer: 0.95 },
  { name: "entries of work", set: LABELLED_WORK, leastOfLayer: 0.95 },
  { name: "entries of the states of agents", set: LABELLED_STATES, leastOfLayer: 0.95 },
  { name: "entries of trades", set: LABELLED_TRADES, leastOfLayer: 0.95 },
  // Sentences are harder to classify than keys.
  { name: "sentences", set: LABELLED_SENTENCES, leastOfLayer: 0.9 },
];

describe.each(SETS)("of the labelled $name", ({ set, leastOfLayer }) => {
  const told = LAYERS.flatMap((layer) => set[layer].map(([key, value]) => ({ key, layer, told: classifyEntry(key, value) })));

  it("is right for over 95 % of the entries, and for nearly as many in each layer", () => {
    const agreed = (of: typeof told): number => of.filter((each) => each.told.layer === each.layer).length / of.length;
    const wrong = told.filter((each) => each.told.layer !== each.layer).map((each) => `${each.key}: ${each.told.layer}, ${each.told.why}`);
    expect(agreed(told), wrong.join("\n")).toBeGreaterThan(0.95);
    for (const layer of LAYERS) {
      expect(agreed(told.filter((each) => each.layer === layer)), `${layer}\n${wrong.join("\n")}`).toBeGreaterThan(leastOfLayer);
    }
    expect(told.length).toBeGreaterThanOrEqual(150);
  });

  it("classifies no entry labelled CRITICAL as EPHEMERAL", () => {
    expect(told.filter((each) => each.layer === "CRITICAL" && each.told.layer === "EPHEMERAL")).toEqual([]);
  });
});
