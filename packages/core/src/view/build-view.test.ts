import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Context, JsonValue } from "../model/context.ts";
import { tokensCounted } from "../testing/builders.ts";
import { buildView, type OmittedEntry, type View, type ViewBudget } from "./build-view.ts";
import type { Room } from "./room.ts";

/** Cheap, and never less for a whole than for its parts together is true of it as of most tokenizers. */
const counter = tokensCounted((text) => Math.ceil(Buffer.byteLength(text) / 3));

/** The least that can be said: that something is left out, and how to go on. */
const LEAST: Room = { tokens: 60, characters: 150 };

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary", maxLength: 300 }),
  // Lone surrogates and halves in any order.
  fc.array(fc.integer({ min: 0xd700, max: 0xe000 }), { maxLength: 40 }).map((units) => String.fromCharCode(...units)),
);
const value: fc.Arbitrary<JsonValue> = fc.oneof(fc.jsonValue() as fc.Arbitrary<JsonValue>, text, fc.constant("x".repeat(3_000)));
const key = fc.oneof(
  text,
  fc.constantFrom("__proto__", "constructor", "12", "3", "", "a/b~c"),
  text.map((each) => each.repeat(20)),
);
const context: fc.Arbitrary<Context> = fc.array(fc.tuple(key, value), { maxLength: 30 }).map((members) => Object.fromEntries(members));
const room = fc.record({ tokens: fc.integer({ min: -100, max: 3_000 }), characters: fc.integer({ min: -300, max: 9_000 }) });
const budget: fc.Arbitrary<ViewBudget> = fc.record({ wanted: room, ceiling: room });

function roomOf(tokens: number, characters: number = tokens * 4): ViewBudget {
  return { wanted: { tokens, characters }, ceiling: { tokens, characters } };
}

async function size(view: View): Promise<Room> {
  const json = JSON.stringify(view);
  return { tokens: await counter.count(json), characters: json.length };
}

/** Every entry that a report and the cursors after it name. */
async function followCursors(context: Context, pins: string[], budget: ViewBudget, first: View): Promise<OmittedEntry[]> {
  const named = [...(first.omitted?.entries ?? [])];
  for (let cursor = first.omitted?.nextCursor; cursor !== undefined;) {
    const page = await buildView(context, pins, budget, counter, Number(cursor));
    expect(page.context).toEqual({});
    expect(page.omitted?.count).toBe(first.omitted?.count);
    expect(page.omitted?.entries.length).toBeGreaterThan(0);
    named.push(...(page.omitted?.entries ?? []));
    cursor = page.omitted?.nextCursor;
  }
  return named;
}

describe("a view of any context in any room", () => {
  it("never goes beyond the ceiling, nor beyond the budget without pins", async () => {
    await fc.assert(
      fc.asyncProperty(context, budget, fc.boolean(), async (context, budget, hasPins) => {
        const pins = hasPins ? Object.keys(context).filter((_, index) => index % 3 === 0) : [];
        const view = await buildView(context, pins, budget, counter);
        const { tokens, characters } = await size(view);
        expect(tokens).toBeLessThanOrEqual(Math.max(budget.ceiling.tokens, LEAST.tokens));
        expect(characters).toBeLessThanOrEqual(Math.max(budget.ceiling.characters, LEAST.characters));
        // What is wanted may be used up by the frame of the answer; then the report has a little room of its own.
        expect(hasPins ? 0 : tokens).toBeLessThanOrEqual(Math.max(budget.wanted.tokens, LEAST.tokens + 50));
      }),
      { numRuns: 500 },
    );
  });

  it("holds whole entries in their original order", async () => {
    await fc.assert(
      fc.asyncProperty(context, budget, async (context, budget) => {
        const view = await buildView(context, Object.keys(context).slice(0, 3), budget, counter);
        const kept = Object.keys(view.context);
        expect(kept).toEqual(Object.keys(context).filter((key) => Object.hasOwn(view.context, key)));
        for (const key of kept) expect(view.context[key]).toBe(context[key]);
      }),
      { numRuns: 300 },
    );
  });

  it("names every entry it leaves out, largest first, at once or behind its cursor", async () => {
    await fc.assert(
      fc.asyncProperty(context, budget, async (context, budget) => {
        const view = await buildView(context, [], budget, counter);
        const omitted = Object.keys(context).filter((key) => !Object.hasOwn(view.context, key));
        expect(view.omitted?.count ?? 0).toBe(omitted.length);
        const named = await followCursors(context, [], budget, view);
        const sizes = omitted.map((key) => JSON.stringify(context[key]).length);
        expect(named.map((entry) => entry.characters).sort(byNumber)).toEqual(sizes.sort(byNumber));
        for (const entry of named) {
          const isKey = entry.keyCharacters === undefined ? omitted.includes(entry.key) : omitted.some((key) => isShortened(key, entry));
          expect([entry, isKey]).toEqual([entry, true]);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("keeps a page of a report within the ceiling too", async () => {
    await fc.assert(
      fc.asyncProperty(context, budget, fc.nat(30), async (context, budget, cursor) => {
        const { tokens, characters } = await size(await buildView(context, [], budget, counter, cursor));
        expect(tokens).toBeLessThanOrEqual(Math.max(budget.ceiling.tokens, LEAST.tokens));
        expect(characters).toBeLessThanOrEqual(Math.max(budget.ceiling.characters, LEAST.characters));
      }),
      { numRuns: 300 },
    );
  });

  it("stays within the ceiling even where a counter finds more in the whole than in its parts", async () => {
    const contrary = tokensCounted((text) => Math.ceil(text.length / 4) + (text.length > 400 ? 200 : 0));
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`entry${index}`, "word ".repeat(4)]));
    const view = await buildView(many, [], roomOf(1_000), contrary);
    expect(await contrary.count(JSON.stringify(view))).toBeLessThanOrEqual(1_000);
    expect(Object.keys(view.context).length).toBeGreaterThan(10);
  });
});

function byNumber(left: number, right: number): number {
  return left - right;
}

function isShortened(key: string, entry: OmittedEntry): boolean {
  return key.length === entry.keyCharacters && entry.key.endsWith("...") && key.startsWith(entry.key.slice(0, -3));
}

it("gives back the whole context where it fits, and says nothing of omissions", async () => {
  const context = { plan: "read", done: [1, 2], debug: null };
  expect(await buildView(context, [], roomOf(100), counter)).toEqual({ context });
  expect(await buildView({}, [], roomOf(100), counter)).toEqual({ context: {} });
});

it("takes the exact room and not one character less", async () => {
  const context = { plan: "read the tests" };
  const characters = JSON.stringify({ context }).length;
  expect(await buildView(context, [], roomOf(10_000, characters), counter)).toEqual({ context });
  expect((await buildView(context, [], roomOf(10_000, characters - 1), counter)).omitted?.count).toBe(1);
});

it("leaves out the few largest and names each with its size", async () => {
  const context = { first: "small", log: "l".repeat(5_000), middle: { a: 1 }, file: "f".repeat(9_000), last: [1] };
  const view = await buildView(context, [], roomOf(1_000), counter);
  expect(view).toEqual({
    context: { first: "small", middle: { a: 1 }, last: [1] },
    omitted: {
      count: 2,
      entries: [
        { key: "file", characters: 9_002 },
        { key: "log", characters: 5_002 },
      ],
    },
  });
});

it("leaves out a single giant entry and names it", async () => {
  const view = await buildView({ everything: "x".repeat(2_000_000) }, [], roomOf(10_000), counter);
  expect(view).toEqual({ context: {}, omitted: { count: 1, entries: [{ key: "everything", characters: 2_000_002 }] } });
});

it("keeps pinned entries beyond the budget, and says by how much", async () => {
  const context = { note: "n".repeat(30), goal: "g".repeat(1_200) };
  const budget = { wanted: { tokens: 200, characters: 8_000 }, ceiling: { tokens: 2_000, characters: 8_000 } };
  const view = await buildView(context, ["goal"], budget, counter);
  expect(view.context).toEqual({ goal: context.goal });
  expect(view.omitted).toEqual({ count: 1, entries: [{ key: "note", characters: 32 }] });
  const { budgetExceededBy, ...rest } = view;
  expect(budgetExceededBy).toBe((await size(rest)).tokens - 200);
});

it("leaves out a pinned entry that is beyond the ceiling, and marks it", async () => {
  const view = await buildView({ goal: "g".repeat(9_000), note: "n" }, ["goal"], roomOf(500), counter);
  expect(view).toEqual({ context: { note: "n" }, omitted: { count: 1, entries: [{ key: "goal", characters: 9_002, pinned: true }] } });
});

it.each([0, -1, -5_000, 1, 7])("says what is left out, and no more, in a room of %i tokens", async (tokens) => {
  const context = { a: 1, b: "two" };
  const view = await buildView(context, [], roomOf(tokens), counter);
  expect(view).toEqual({ context: {}, omitted: { count: 2, entries: [], nextCursor: "0" } });
  const named = await followCursors(context, [], roomOf(tokens), view);
  expect(named.map((entry) => entry.characters)).toEqual([5, 1]);
});

it("does not call a budget exceeded that holds no pinned entry", async () => {
  expect(await buildView({ a: 1 }, ["elsewhere"], roomOf(-50), counter)).not.toHaveProperty("budgetExceededBy");
});

it("never wants more than the ceiling", async () => {
  const context = { a: "x".repeat(1_000) };
  const budget = { wanted: { tokens: 10_000, characters: 50_000 }, ceiling: { tokens: 100, characters: 400 } };
  expect((await buildView(context, [], budget, counter)).context).toEqual({});
});

it("shortens long keys in the report without tearing a character apart", async () => {
  const long = `${"k".repeat(119)}😀${"k".repeat(500)}`;
  const view = await buildView({ [long]: "x".repeat(9_000) }, [], roomOf(1_000), counter);
  expect(view.omitted?.entries).toEqual([{ key: `${"k".repeat(119)}...`, characters: 9_002, keyCharacters: long.length }]);
});

it("finishes a report after the last entry", async () => {
  const context = { a: "x".repeat(9_000) };
  expect(await buildView(context, [], roomOf(100), counter, 1)).toEqual({ context: {}, omitted: { count: 1, entries: [] } });
  expect(await buildView(context, [], roomOf(100), counter, 999)).toEqual({ context: {}, omitted: { count: 1, entries: [] } });
});

it("is quick with 100,000 small entries, and counts few of them", async () => {
  let counted = 0;
  const counting = tokensCounted((text) => {
    counted += text.length;
    return Math.ceil(text.length / 3);
  });
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key-${index}`, index]));
  const pins = Array.from({ length: 200 }, (_, index) => `key-${index * 100}`);
  const started = performance.now();
  const view = await buildView(many, pins, roomOf(10_000, 45_000), counting);
  expect(performance.now() - started).toBeLessThan(3_000);
  expect(counted).toBeLessThan(200_000);
  expect(Object.keys(view.context).length).toBeGreaterThan(1_000);
  expect(view.omitted?.count).toBe(100_000 - Object.keys(view.context).length);
});
