import { parseJson } from "../json/parse-json.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../model/context.ts";
import { align } from "./align.ts";
import { applyDelta } from "./apply-delta.ts";
import { findDelta } from "./find-delta.ts";
import { anyCharacter } from "../../../storage-conformance/test/any-character.ts";
import { runsOf } from "../../../storage-conformance/test/long-form.ts";

/** Keys that cause trouble: separators of path notations, the prototype, and integers, which objects reorder. */
const key = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom("__proto__", "a/b", "~0", "10", "9", "length", "\ud800"));
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 8 }),
  fc.constantFrom("the quick brown fox jumps over the lazy dog, again and again", "x".repeat(250), `${"line\n".repeat(60)}end`),
  fc
    .array(fc.constantFrom("alpha\n", "beta\n", "gamma\n", "a line that is somewhat longer than the others\n"), { maxLength: 40 })
    .map((lines) => lines.join("")),
);
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.constant(null), fc.boolean(), fc.integer({ min: -3, max: 3 }), text),
    fc.array(tie("value"), { maxLength: 6 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map((members) => Object.fromEntries(members) as JsonValue),
  ),
}));

function roundTrip(base: JsonValue, target: JsonValue): string {
  const delta: unknown = parseJson(JSON.stringify(findDelta(base, target)));
  return JSON.stringify(applyDelta(base, delta as JsonValue));
}

describe("a delta", () => {
  it("inserts more items than a function takes arguments, in time that grows with their number", () => {
    const items = Array.from({ length: 150_000 }, (_, index) => Math.imul(index, 2_654_435_761));
    for (const base of [[], [1], items.slice(1_000, 2_000)]) expect(roundTrip({ items: base }, { items })).toBe(JSON.stringify({ items }));
  });

  it("turns any value into any other, with the same JSON text", () => {
    fc.assert(
      fc.property(value, value, (base, target) => {
        expect(roundTrip(base, target)).toBe(JSON.stringify(target));
      }),
      { numRuns: runsOf(3_000) },
    );
  });

  it("represents edits of a value: members set, dropped and moved, items spliced, texts changed", () => {
    const edit = fc.record({ at: fc.nat(20), remove: fc.nat(3), insert: fc.array(value, { maxLength: 2 }), text });
    fc.assert(
      fc.property(fc.array(value, { maxLength: 20 }), fc.array(edit, { maxLength: 4 }), text, (items, edits, prose) => {
        const base = { items, prose, notes: { first: prose } } as JsonValue;
        const changed = [...items];
        let words = prose;
        for (const { at, remove, insert, text: put } of edits) {
          changed.splice(at, remove, ...insert);
          words = words.slice(0, at) + put + words.slice(at + remove);
        }
        const target = { notes: {}, prose: words, items: changed, copied: prose } as JsonValue;
        expect(roundTrip(base, target)).toBe(JSON.stringify(target));
        expect(roundTrip(target, base)).toBe(JSON.stringify(base));
      }),
      { numRuns: runsOf(1_000) },
    );
  });

  it("is small for a small change", () => {
    const history = Array.from({ length: 500 }, (_, step) => ({
      step,
      observation: `observation ${step} ${"and what it says ".repeat(20)}`,
    }));
    const newer = { goal: "fix it", history, last: history.at(-1)?.observation ?? "", count: 500 } as JsonValue;
    const older = { goal: "fix it", history: history.slice(0, 499), last: history.at(-2)?.observation ?? "", count: 499 } as JsonValue;
    expect(findDelta(newer, older)).toEqual({
      object: {
        change: {
          history: { array: [499] },
          last: { copy: ["history", 498, "observation"] },
          count: { set: 499 },
        },
      },
    });
  });

  it("does not change the base", () => {
    const base = { list: [1, [2]], text: "abc" } as JsonValue;
    const before = JSON.stringify(base);
    applyDelta(base, findDelta(base, { list: [[2, 3]], text: "abd", more: true }) as JsonValue);
    expect(JSON.stringify(base)).toBe(before);
  });

  it.each([
    ["nothing known", {}],
    ["no object", 5],
    ["null", null],
    ["a place that is not there", { copy: ["nowhere"] }],
    ["a place in the prototype", { copy: ["toString"] }],
    ["items beyond the end", { object: { change: { list: { array: [5] } } } }],
    ["items of a text", { object: { change: { text: { array: [1] } } } }],
    ["a text of a list", { object: { change: { list: { text: [[0, 1, ""]] } } } }],
    ["a text beyond its end", { object: { change: { text: { text: [[2, 5, ""]] } } } }],
    [
      "splices out of order",
      {
        object: {
          change: {
            text: {
              text: [
                [2, 0, "x"],
                [1, 0, "y"],
              ],
            },
          },
        },
      },
    ],
    ["an order of other keys", { object: { order: ["list"] } }],
    ["keeping what is not there", { object: { change: { more: { keep: true } } } }],
    ["steps that are no list", { object: { change: { list: { array: 3 } } } }],
    ["changes that are no object", { object: { change: { list: 3 } } }],
  ])("is refused as corrupt when it says %s", (_, delta) => {
    expect(() => applyDelta({ list: [1], text: "abc" }, delta as JsonValue)).toThrow(
      expect.objectContaining({ code: "CHECKPOINT_CORRUPT" }),
    );
  });
});

describe("align", () => {
  it("finds common runs, in order and without overlap", () => {
    const letters = fc.array(fc.constantFrom("a", "b", "c", "d", "e", "f"), { maxLength: 30 });
    fc.assert(
      fc.property(letters, letters, (left, right) => {
        let [leftEnd, rightEnd] = [0, 0];
        for (const run of align(left, right)) {
          expect(run.left).toBeGreaterThanOrEqual(leftEnd);
          expect(run.right).toBeGreaterThanOrEqual(rightEnd);
          expect(left.slice(run.left, run.left + run.length)).toEqual(right.slice(run.right, run.right + run.length));
          [leftEnd, rightEnd] = [run.left + run.length, run.right + run.length];
        }
        expect(leftEnd).toBeLessThanOrEqual(left.length);
        expect(rightEnd).toBeLessThanOrEqual(right.length);
      }),
      { numRuns: runsOf(2_000) },
    );
  });

  it("finds unchanged items around moved ones", () => {
    expect(align(["a", "x", "b", "c"], ["a", "b", "y", "c"])).toEqual([
      { left: 0, right: 0, length: 1 },
      { left: 2, right: 1, length: 1 },
      { left: 3, right: 3, length: 1 },
    ]);
  });
});
