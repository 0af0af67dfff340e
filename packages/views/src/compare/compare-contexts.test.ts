import { describe, expect, it } from "vitest";
import type { Context, Layer } from "@workrail/core";
import { type ClassifiedContext, compareContexts } from "./compare-contexts.ts";

/** Counts one token per character. */
const count = (text: string): number => text.length;

function classified(context: object, pins: readonly string[] = []): ClassifiedContext {
  const layerOf = (key: string): Layer => (pins.includes(key) ? "CRITICAL" : "USEFUL");
  const classifications = new Map(Object.keys(context).map((key) => [key, { layer: layerOf(key), confidence: 1, why: "given" }]));
  return { context: context as Context, classifications };
}

describe("comparing two contexts", () => {
  it("lists added, removed and changed entries in the order of the newer context, removed ones last", () => {
    const from = classified({ goal: "ship", plan: [1], old: 1 });
    const to = classified({ findings: { bug: 1 }, plan: [1, 2], goal: "ship" });
    const { entries, unchanged, isReordered } = compareContexts(from, to, count);
    expect(entries.map(({ key, change }) => [key, change])).toEqual([
      ["findings", "added"],
      ["plan", "changed"],
      ["old", "removed"],
    ]);
    expect(entries[1]).toMatchObject({ from: { value: [1], tokens: 3 }, to: { value: [1, 2], tokens: 5 } });
    expect({ unchanged, isReordered }).toEqual({ unchanged: 1, isReordered: false });
  });

  it("reports an unchanged entry that moved to another layer", () => {
    const { entries, layers } = compareContexts(classified({ notes: "x" }), classified({ notes: "x" }, ["notes"]), count);
    expect(entries).toMatchObject([{ key: "notes", change: "moved", from: { layer: "USEFUL" }, to: { layer: "CRITICAL" } }]);
    expect(layers).toEqual({
      CRITICAL: { from: { entries: 0, tokens: 0 }, to: { entries: 1, tokens: 3 } },
      USEFUL: { from: { entries: 1, tokens: 3 }, to: { entries: 0, tokens: 0 } },
    });
  });

  it("reports another order of entries, and of keys in a value", () => {
    expect(compareContexts(classified({ a: 1, b: 2 }), classified({ b: 2, a: 1 }), count)).toMatchObject({
      entries: [],
      unchanged: 2,
      isReordered: true,
    });
    expect(compareContexts(classified({ a: { x: 1, y: 2 } }), classified({ a: { y: 2, x: 1 } }), count).entries).toMatchObject([
      { change: "changed" },
    ]);
  });

  it("finds no difference between a context and itself, for any keys", () => {
    const odd = classified(JSON.parse('{"__proto__":1,"a\\u0000b":2,"constructor":3}') as object);
    expect(compareContexts(odd, odd, count)).toMatchObject({ entries: [], unchanged: 3, isReordered: false });
  });
});
