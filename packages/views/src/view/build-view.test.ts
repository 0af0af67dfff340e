import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tokensCounted } from "@workrail/storage-conformance/builders";
import { type Classification, type Context, type JsonValue, type Layer, LAYERS, type Steps } from "@workrail/core";
import { buildView, type View, type ViewBudget, type ViewOptions } from "./build-view.ts";
import type { ShortenValue } from "./choose-entries.ts";
import type { OmittedEntry, ReportedEntry } from "./report.ts";
import type { Room } from "./room.ts";
import { anyCharacter } from "../../../storage-conformance/test/any-character.ts";
import { runsOf } from "../../../storage-conformance/test/long-form.ts";

/** Cheap counter. As with most tokenizers, a whole never has more tokens than its parts together. */
const counter = tokensCounted((text) => Math.ceil(Buffer.byteLength(text) / 3));

/** Smallest possible report: that something is left out, and how to continue. */
const LEAST: Room = { tokens: 90, characters: 260 };

/** Simplest function that meets the contract: the beginning of a text, the first items of a list. */
const shorten: ShortenValue = function* (value, room, count) {
  const fits = (part: JsonValue): boolean => count(JSON.stringify(part)) <= room.tokens && JSON.stringify(part).length <= room.characters;
  if (typeof value !== "string" && !Array.isArray(value)) return undefined;
  yield;
  const whole: string | readonly JsonValue[] = value;
  for (let length = whole.length - 1; length > 0; length = Math.floor(length * 0.9)) {
    const part = whole.slice(0, length);
    if (fits(part)) return { value: part, tokens: count(JSON.stringify(part)), outcome: "condensed" };
  }
  return undefined;
};

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  // Lone and paired surrogates in any order.
  fc.array(fc.integer({ min: 0xd700, max: 0xe000 }), { maxLength: 40 }).map((units) => String.fromCharCode(...units)),
);
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.jsonValue() as fc.Arbitrary<JsonValue>,
  text,
  fc.constantFrom("x".repeat(3_000), "a log of some length ".repeat(40)),
  fc.array(text, { minLength: 5 }),
);
const key = fc.oneof(
  text,
  fc.constantFrom("__proto__", "constructor", "12", "3", "", "a/b~c"),
  text.map((each) => each.repeat(20)),
);
const context: fc.Arbitrary<Context> = fc.array(fc.tuple(key, value), { maxLength: 30 }).map((members) => Object.fromEntries(members));
const room = fc.record({ tokens: fc.integer({ min: -100, max: 3_000 }), characters: fc.integer({ min: -300, max: 9_000 }) });
const budget: fc.Arbitrary<ViewBudget> = fc.record({
  wanted: room,
  ceiling: room,
  of: fc.constantFrom("view" as const, "context" as const),
});
const layerOf = fc.func(fc.constantFrom<Layer>(...LAYERS));
const focus = fc.option(fc.constantFrom("log length", "x"), { nil: undefined });

function classified(context: Context, layerOf: (key: string) => Layer): Map<string, Classification> {
  return new Map(Object.keys(context).map((key) => [key, { layer: layerOf(key), confidence: 0.9, why: "by the test" }]));
}

function pinned(...keys: string[]): Map<string, Classification> {
  return new Map(keys.map((key) => [key, { layer: "CRITICAL", confidence: 1, why: "pinned" }]));
}

/** Budget for the context alone, as in compression. */
function compressed(tokens: number): ViewBudget {
  return { wanted: { tokens, characters: 40_000 }, ceiling: { tokens: 10_000, characters: 45_000 }, of: "context" };
}

function roomOf(tokens: number, characters: number = tokens * 4): ViewBudget {
  return { wanted: { tokens, characters }, ceiling: { tokens, characters } };
}

const UNCLASSIFIED: ViewOptions = { classifications: new Map() };
const WITHOUT_PINS: ViewOptions = { classifications: new Map(), shorten };

async function size(view: object): Promise<Room> {
  const json = JSON.stringify(view);
  return { tokens: await counter.count(json), characters: json.length };
}

/** Follows the cursors and returns every named entry. */
async function followCursors(context: Context, options: ViewOptions & { readonly budget: ViewBudget }, first: View) {
  const reported: ReportedEntry[] = [...(first.report?.entries ?? [])];
  const omitted: OmittedEntry[] = [...(first.omitted?.entries ?? [])];
  for (let cursor = first.report?.nextCursor; cursor !== undefined;) {
    const page = await buildView(context, { ...options, cursor: Number(cursor) }, counter);
    expect(page.context).toEqual({});
    expect(page.omitted?.count).toBe(first.omitted?.count);
    expect(page.report).toMatchObject({ kept: first.report?.kept, dropped: first.report?.dropped });
    expect(page.report?.entries.length).toBeGreaterThan(0);
    reported.push(...(page.report?.entries ?? []));
    omitted.push(...(page.omitted?.entries ?? []));
    cursor = page.report?.nextCursor;
  }
  return { reported, omitted };
}

describe("a view of any context in any room", () => {
  it("never exceeds the ceiling, and exceeds the budget only by CRITICAL entries", async () => {
    await fc.assert(
      fc.asyncProperty(fc.record({ context, budget, layerOf, focus }), async ({ context, budget, layerOf, focus }) => {
        const view = await buildView(context, { classifications: classified(context, layerOf), shorten, focus, budget }, counter);
        const { tokens, characters } = await size(view);
        expect(tokens).toBeLessThanOrEqual(Math.max(budget.ceiling.tokens, LEAST.tokens));
        expect(characters).toBeLessThanOrEqual(Math.max(budget.ceiling.characters, LEAST.characters));
        const isExceeded = view.budgetExceededBy !== undefined;
        expect(isExceeded && !Object.keys(view.context).some((key) => layerOf(key) === "CRITICAL")).toBe(false);
        const counted = budget.of === "context" ? (await size(view.context)).tokens : tokens;
        // The frame may use up the wanted room; then the report has a small room of its own.
        const least = budget.of === "context" ? 1 : LEAST.tokens + 50;
        expect(isExceeded ? 0 : counted).toBeLessThanOrEqual(Math.max(budget.wanted.tokens, least));
      }),
      { numRuns: runsOf(500) },
    );
  });

  it("reports an exceeded context budget, with the excess, only when CRITICAL entries alone exceed it", async () => {
    const ceiling = { tokens: 10_000, characters: 45_000 };
    await fc.assert(
      fc.asyncProperty(context, fc.integer({ min: 200, max: 2_000 }), layerOf, async (context, tokens, layerOf) => {
        const wanted = { tokens, characters: 45_000 };
        const view = await buildView(
          context,
          { classifications: classified(context, layerOf), shorten, budget: { wanted, ceiling, of: "context" } },
          counter,
        );
        const critical = Object.fromEntries(Object.entries(context).filter(([key]) => layerOf(key) === "CRITICAL"));
        expect(view.context).toMatchObject(critical);
        const over = (await size(view.context)).tokens - tokens;
        expect(view.budgetExceededBy ?? 0).toBe(Math.max(0, over));
        // Commas and braces were counted separately before, so the sizes differ slightly.
        const ofCritical = (await size(critical)).tokens + 2 * Object.keys(critical).length;
        expect(over > 0 && ofCritical <= tokens).toBe(false);
      }),
      { numRuns: runsOf(200) },
    );
  });

  it("keeps the order and fitting CRITICAL entries, and reports every changed entry", async () => {
    await fc.assert(
      fc.asyncProperty(context, budget, layerOf, async (context, budget, layerOf) => {
        const options = { classifications: classified(context, layerOf), shorten };
        const view = await buildView(context, { ...options, budget }, counter);
        const given = Object.keys(view.context);
        expect(given).toEqual(Object.keys(context).filter((key) => Object.hasOwn(view.context, key)));
        const changed = given.filter((key) => JSON.stringify(view.context[key]) !== JSON.stringify(context[key]));
        const critical = Object.entries(context).filter(([key]) => layerOf(key) === "CRITICAL");
        const taken = await size({ context: Object.fromEntries(critical) });
        const mayShorten = taken.tokens * 1.5 > budget.ceiling.tokens - 150 || taken.characters * 1.5 > budget.ceiling.characters - 600;
        expect(mayShorten ? [] : changed.filter((key) => layerOf(key) === "CRITICAL")).toEqual([]);
        const { kept = given.length, reduced = 0, condensed = 0, dropped = 0 } = view.report ?? {};
        expect({ kept, shortened: reduced + condensed, dropped }).toEqual({
          kept: given.length - changed.length,
          shortened: changed.length,
          dropped: Object.keys(context).length - given.length,
        });
      }),
      { numRuns: runsOf(300) },
    );
  });

  it("names every shortened or omitted entry, directly or behind its cursor", async () => {
    await fc.assert(
      fc.asyncProperty(context, budget, layerOf, async (context, budget, layerOf) => {
        const options = { classifications: classified(context, layerOf), shorten };
        const view = await buildView(context, { ...options, budget }, counter);
        const { reported, omitted } = await followCursors(context, { ...options, budget }, view);
        const left = Object.keys(context).filter((key) => !Object.hasOwn(view.context, key));
        expect(view.omitted?.count ?? 0).toBe(left.length);
        expect(reported.length).toBe((view.report?.reduced ?? 0) + (view.report?.condensed ?? 0) + left.length);
        const sizes = left.map((key) => JSON.stringify(context[key]).length);
        expect(omitted.map((entry) => entry.characters).sort(byNumber)).toEqual(sizes.sort(byNumber));
        for (const entry of [...omitted, ...reported]) {
          const isKey = entry.keyCharacters === undefined ? Object.hasOwn(context, entry.key) : left.some((key) => isShortened(key, entry));
          expect([entry, isKey || Object.keys(context).some((key) => isShortened(key, entry))]).toEqual([entry, true]);
        }
      }),
      { numRuns: runsOf(200) },
    );
  });

  it("keeps a page of a report within the ceiling", async () => {
    await fc.assert(
      fc.asyncProperty(context, budget, fc.nat(30), async (context, budget, cursor) => {
        const { tokens, characters } = await size(await buildView(context, { ...WITHOUT_PINS, budget, cursor }, counter));
        // One name is always listed, so that the cursor advances.
        expect(tokens).toBeLessThanOrEqual(Math.max(budget.ceiling.tokens, LEAST.tokens + 80));
        expect(characters).toBeLessThanOrEqual(Math.max(budget.ceiling.characters, LEAST.characters + 200));
      }),
      { numRuns: runsOf(300) },
    );
  });

  it("is the same each time", async () => {
    await fc.assert(
      fc.asyncProperty(fc.record({ context, budget, layerOf, focus }), async ({ context, budget, layerOf, focus }) => {
        const options = { classifications: classified(context, layerOf), shorten, focus };
        const [one, other] = [
          await buildView(context, { ...options, budget }, counter),
          await buildView({ ...context }, { ...options, budget }, counter),
        ];
        expect(JSON.stringify(other)).toBe(JSON.stringify(one));
      }),
      { numRuns: runsOf(100) },
    );
  });

  it("stays within the ceiling when a counter counts more for the whole than for its parts", async () => {
    const contrary = tokensCounted((text) => Math.ceil(text.length / 4) + (text.length > 400 ? 200 : 0));
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`entry${index}`, "word ".repeat(4)]));
    const view = await buildView(many, { ...UNCLASSIFIED, budget: roomOf(1_000) }, contrary);
    expect(await contrary.count(JSON.stringify(view))).toBeLessThanOrEqual(1_000);
    expect(Object.keys(view.context).length).toBeGreaterThan(10);
  });
});

function byNumber(left: number, right: number): number {
  return left - right;
}

function isShortened(key: string, entry: { readonly key: string; readonly keyCharacters?: number }): boolean {
  return key.length === entry.keyCharacters && entry.key.endsWith("...") && key.startsWith(entry.key.slice(0, -3));
}

it("returns the whole context when it fits, including EPHEMERAL entries, without a report", async () => {
  const context = { plan: "read", done: [1, 2], debug: null };
  const classifications = classified(context, () => "EPHEMERAL");
  expect(await buildView(context, { classifications, shorten, budget: roomOf(100) }, counter)).toEqual({ context });
  expect(await buildView({}, { ...UNCLASSIFIED, budget: roomOf(100) }, counter)).toEqual({ context: {} });
});

it("does not load the tokenizer when bytes prove that everything fits", async () => {
  const unloadable = { count: () => Promise.reject(new Error("counted")), load: () => Promise.reject(new Error("loaded")) };
  expect(await buildView({ a: 1 }, { ...WITHOUT_PINS, budget: roomOf(100) }, unloadable)).toEqual({ context: { a: 1 } });
});

it("fits into the exact room, but not into one character less", async () => {
  const context = { plan: "read the tests" };
  const characters = JSON.stringify({ context }).length;
  expect(await buildView(context, { ...UNCLASSIFIED, budget: roomOf(10_000, characters) }, counter)).toEqual({ context });
  expect((await buildView(context, { ...UNCLASSIFIED, budget: roomOf(10_000, characters - 1) }, counter)).omitted?.count).toBe(1);
});

describe("layers", () => {
  const long = (word: string): string => `${word} `.repeat(900);
  const context = { trace: long("trace"), notes: long("note"), plan: long("plan"), goal: "ship it", step: 3, scratch: "s" };
  const layers: Record<string, Layer> = { trace: "EPHEMERAL", notes: "USEFUL", plan: "IMPORTANT", goal: "CRITICAL", step: "IMPORTANT" };
  const classifications = classified(context, (key) => layers[key] ?? "EPHEMERAL");
  const fates = (view: View): object => Object.fromEntries((view.report?.entries ?? []).map(({ key, outcome }) => [key, outcome]));

  it("are shortened from the lowest: EPHEMERAL first, into the room that others leave", async () => {
    const view = await buildView(context, { classifications, shorten, budget: roomOf(3_500) }, counter);
    expect(fates(view)).toEqual({ trace: "condensed" });
    expect(view.context).toMatchObject({ notes: context.notes, plan: context.plan, goal: "ship it", step: 3, scratch: "s" });
    expect((await size(view)).tokens).toBeGreaterThan(3_000);
  });

  it("leave EPHEMERAL the room that others cannot use, even when they are not whole", async () => {
    const odd = { ...context, notes: { deep: context.notes } };
    const view = await buildView(odd, { classifications, shorten, budget: roomOf(2_500) }, counter);
    expect(fates(view)).toEqual({ notes: "dropped", trace: "condensed" });
    expect(view.context).toMatchObject({ plan: context.plan, step: 3, scratch: "s" });
  });

  it("leave EPHEMERAL no room that another layer can use", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 30, max: 6_000 }), async (tokens) => {
        const { trace: _trace, scratch: _scratch, ...others } = context;
        // With another order, the shortcut for a whole context does not apply.
        const options = { classifications, shorten, order: "layer" as const };
        const [all, without] = await Promise.all(
          [context, others].map((each) => buildView(each, { ...options, budget: compressed(tokens) }, counter)),
        );
        expect(all?.context).toMatchObject(without?.context ?? {});
      }),
      { numRuns: runsOf(300) },
    );
  });

  it("are shortened even when there are only EPHEMERAL entries", async () => {
    const alone = { trace: context.trace, scratch: "s" };
    const view = await buildView(alone, { classifications: classified(alone, () => "EPHEMERAL"), shorten, budget: roomOf(500) }, counter);
    expect(fates(view)).toEqual({ trace: "condensed" });
    expect(view.context).toMatchObject({ scratch: "s" });
  });

  it("are shortened from the lowest: USEFUL before IMPORTANT", async () => {
    const view = await buildView(context, { classifications, shorten, budget: roomOf(3_000) }, counter);
    expect(fates(view)).toMatchObject({ notes: "condensed" });
    expect(view.context).toMatchObject({ plan: context.plan, goal: "ship it", step: 3 });
  });

  it("keep their shares when both are too large, and use unused room of others", async () => {
    const view = await buildView(context, { classifications, shorten, budget: roomOf(1_600) }, counter);
    const after = Object.fromEntries((view.report?.entries ?? []).map(({ key, tokensAfter }) => [key, tokensAfter]));
    const ratio = Number(after["plan"]) / Number(after["notes"]);
    expect(ratio).toBeGreaterThan(1.6);
    expect(ratio).toBeLessThan(2.6);
    expect((await size(view)).tokens).toBeGreaterThan(1_450);
  });

  it("follow configured shares and caps", async () => {
    const even = await buildView(
      context,
      { classifications, shorten, shares: { IMPORTANT: 1, USEFUL: 1 }, budget: roomOf(1_600) },
      counter,
    );
    const [one, other] = (even.report?.entries ?? [])
      .filter(({ outcome }) => outcome === "condensed")
      .map(({ tokensAfter }) => tokensAfter);
    expect(Number(one) / Number(other)).toBeCloseTo(1, 0);
    const capped = await buildView(
      context,
      { classifications, shorten, caps: { IMPORTANT: 100, USEFUL: 0 }, budget: roomOf(4_000) },
      counter,
    );
    expect(fates(capped)).toMatchObject({ plan: "condensed", notes: "dropped" });
    expect(capped.context).toMatchObject({ goal: "ship it", step: 3 });
    expect((await size({ plan: capped.context["plan"] })).tokens).toBeLessThan(100);
  });

  it("can be omitted regardless of room, and ordered", async () => {
    const kept: Layer[] = ["CRITICAL", "IMPORTANT", "USEFUL"];
    const view = await buildView(context, { classifications, layers: kept, order: "layer", budget: roomOf(9_000) }, counter);
    expect(Object.keys(view.context)).toEqual(["goal", "plan", "step", "notes"]);
    expect(fates(view)).toEqual({ trace: "dropped", scratch: "dropped" });
  });

  it("are reported for every entry when details are requested", async () => {
    const view = await buildView(context, { classifications, isDetailed: true, order: "layer", budget: roomOf(9_000) }, counter);
    expect(view.report?.entries.map(({ key }) => key)).toEqual(["goal", "plan", "step", "notes", "trace", "scratch"]);
    expect(view.report?.layers).toMatchObject({
      CRITICAL: { entries: 1, tokensBefore: 3, tokensAfter: 3 },
      IMPORTANT: { entries: 2 },
      EPHEMERAL: { entries: 2, tokensAfter: Number(view.report?.layers?.EPHEMERAL?.tokensBefore) },
    });
    expect(view.report?.entries[0]).toEqual({
      key: "goal",
      layer: "CRITICAL",
      confidence: 0.9,
      why: "by the test",
      outcome: "kept",
      tokensBefore: 3,
      tokensAfter: 3,
    });
    expect(view).not.toHaveProperty("omitted");
  });
});

it("keeps small entries whole and shares the rest among large ones", async () => {
  const context = { first: "small", log: "l".repeat(5_000), middle: { a: 1 }, file: "f".repeat(9_000), last: [1] };
  const view = await buildView(context, { ...WITHOUT_PINS, budget: roomOf(1_000) }, counter);
  expect(view.context).toMatchObject({ first: "small", middle: { a: 1 }, last: [1] });
  const [file, log] = view.report?.entries ?? [];
  expect(file).toMatchObject({ key: "file", layer: "USEFUL", outcome: "condensed", tokensBefore: 3_001 });
  expect(log).toMatchObject({ key: "log", layer: "USEFUL", outcome: "condensed", tokensBefore: 1_668 });
  expect(Number(file?.tokensAfter) / Number(log?.tokensAfter)).toBeCloseTo(1, 0);
  expect((await size(view)).tokens).toBeGreaterThan(800);
  expect(view).not.toHaveProperty("omitted");
});

it.each([250, 400, 700, 1_000, 3_000])("uses nearly all of %i tokens, regardless of the reserve for the report", async (tokens) => {
  const names = ["first", "second", "third", "fourth"];
  const context = { goal: "ship it", ...Object.fromEntries(names.map((name) => [`${name}-of-several-files`, `${name} `.repeat(2_000)])) };
  const closely: ShortenValue = function* (value, room, count) {
    yield;
    const text = (value as string).slice(0, Math.min((room.tokens - 1) * 3, room.characters) - 2);
    return text.length > 0 ? { value: text, tokens: count(JSON.stringify(text)), outcome: "condensed" } : undefined;
  };
  const view = await buildView(context, { ...WITHOUT_PINS, shorten: closely, budget: roomOf(tokens, 45_000) }, counter);
  const taken = (await size(view)).tokens;
  expect(taken).toBeLessThanOrEqual(tokens);
  expect(taken).toBeGreaterThan(tokens * 0.9);
});

it("names the entries with the largest loss first", async () => {
  const context = {
    history: "h".repeat(9_000),
    updatedAt: "2026-03-01T09:00:00Z",
    notes: "n".repeat(3_000),
    odd: { deep: "x".repeat(2_000) },
  };
  const view = await buildView(context, { classifications: classified(context, () => "USEFUL"), shorten, budget: roomOf(1_500) }, counter);
  expect(view.report?.entries.map(({ key }) => key)).toEqual(["history", "odd", "notes"]);
  expect(view.omitted).toEqual({ count: 1, entries: [{ key: "odd", characters: 2_011 }] });
});

it("gives more room to entries about the focus", async () => {
  const context = { news: `weather ${"w".repeat(3_000)}`, notes: `login redirects ${"n".repeat(3_000)}` };
  const view = await buildView(context, { ...WITHOUT_PINS, focus: "the redirect after login", budget: roomOf(800) }, counter);
  const after = Object.fromEntries((view.report?.entries ?? []).map(({ key, tokensAfter }) => [key, tokensAfter]));
  expect(Number(after["notes"])).toBeGreaterThan(2 * Number(after["news"]));
});

it("prefers entries about the focus when there is no room for all", async () => {
  const context = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`note ${index}`, `${index} `.repeat(150)]));
  const options = { ...WITHOUT_PINS, focus: "77" };
  const view = await buildView({ ...context, "note 77": "77 and so on ".repeat(200) }, { ...options, budget: roomOf(500) }, counter);
  expect(Object.keys(view.context)).toContain("note 77");
});

it("drops USEFUL entries in favour of an IMPORTANT one, unless their share is configured", async () => {
  const context = { plan: { steps: "s".repeat(240) }, note: { text: "n".repeat(150) }, file: "f".repeat(3_000) };
  const classifications = classified(context, (key) => (key === "file" ? "USEFUL" : "IMPORTANT"));
  const options = { classifications, shorten };
  const view = await buildView(context, { ...options, budget: compressed(150) }, counter);
  expect(view.context).toMatchObject({ plan: context.plan, note: context.note });
  const asked = await buildView(context, { ...options, shares: { IMPORTANT: 40, USEFUL: 20 }, budget: compressed(150) }, counter);
  expect(Object.keys(asked.context)).not.toContain("note");
});

it("offers unused room to skipped entries, within the tokens of their layer", async () => {
  const context = { first: "l".repeat(500), second: "m".repeat(5_000) };
  const little: ShortenValue = (value, room, count) => shorten(value, { ...room, tokens: Math.min(room.tokens, 40) }, count);
  const view = await buildView(context, { ...WITHOUT_PINS, shorten: little, budget: compressed(80) }, counter);
  expect(Object.keys(view.context)).toEqual(["first", "second"]);
  const held = await buildView(context, { ...WITHOUT_PINS, shorten: little, caps: { USEFUL: 60 }, budget: compressed(80) }, counter);
  expect((await size(held.context)).tokens).toBeLessThanOrEqual(62);
});

it("treats an EPHEMERAL entry as USEFUL when it matches the focus best", async () => {
  const context = { events: "wheel current 9.8 A ".repeat(20), map: "0 1 ".repeat(2_000), plan: "drive on" };
  const classifications = classified(context, (key) => (key === "events" ? "EPHEMERAL" : "USEFUL"));
  const keysFor = async (focus: string): Promise<string[]> =>
    Object.keys((await buildView(context, { classifications, shorten, focus, budget: compressed(150) }, counter)).context);
  expect(await keysFor("wheel current")).toContain("events");
  expect(await keysFor("plan")).not.toContain("events");
});

it("ignores stop words in a focus", async () => {
  const context = { other: "what is there to do about it all ".repeat(40), events: "wheel current 9.8 A ".repeat(40) };
  const view = await buildView(
    context,
    { ...WITHOUT_PINS, focus: "what is there to do about it: wheel?", budget: compressed(60) },
    counter,
  );
  expect(Object.keys(view.context)).toEqual(["events"]);
});

it("omits entries that cannot be shortened usefully, and gives their room to others", async () => {
  const context = { number: 1, odd: { deep: "x".repeat(5_000) }, log: "l".repeat(5_000) };
  const view = await buildView(context, { ...WITHOUT_PINS, budget: roomOf(1_000) }, counter);
  expect(view.omitted).toEqual({ count: 1, entries: [{ key: "odd", characters: 5_011 }] });
  expect(view.report).toMatchObject({ kept: 1, condensed: 1, dropped: 1 });
  expect((await size(view)).tokens).toBeGreaterThan(500);
});

it("keeps entries whole or omits them when nothing may be shortened, smallest first", async () => {
  const context = { first: "small", log: "l".repeat(5_000), middle: { a: 1 }, file: "f".repeat(9_000), last: [1] };
  const view = await buildView(context, { ...UNCLASSIFIED, budget: roomOf(1_000) }, counter);
  expect(view.context).toEqual({ first: "small", middle: { a: 1 }, last: [1] });
  expect(view.omitted).toEqual({
    count: 2,
    entries: [
      { key: "file", characters: 9_002 },
      { key: "log", characters: 5_002 },
    ],
  });
});

it("reduces every value that is not CRITICAL on request, regardless of room", async () => {
  const reduce = function* (value: JsonValue): Steps<JsonValue> {
    yield;
    return typeof value === "string" ? value.trim() : value;
  };
  const context = { log: "line   ", goal: "goal   ", step: 3 };
  const view = await buildView(context, { classifications: pinned("goal"), reduce, budget: roomOf(1_000) }, counter);
  expect(view.context).toEqual({ log: "line", goal: "goal   ", step: 3 });
  expect(view.report).toMatchObject({ kept: 2, reduced: 1, condensed: 0, dropped: 0, entries: [{ key: "log", outcome: "reduced" }] });
});

it("keeps CRITICAL entries beyond the budget, and reports the excess", async () => {
  const context = { note: "n".repeat(30), goal: "g".repeat(1_200) };
  const budget = { wanted: { tokens: 200, characters: 8_000 }, ceiling: { tokens: 2_000, characters: 8_000 } };
  const view = await buildView(context, { classifications: pinned("goal"), shorten, budget }, counter);
  expect(view.context).toEqual({ goal: context.goal });
  expect(view.omitted).toEqual({ count: 1, entries: [{ key: "note", characters: 32 }] });
  const { budgetExceededBy, ...rest } = view;
  expect(budgetExceededBy).toBe((await size(rest)).tokens - 200);
});

it("names the largest CRITICAL entry only when CRITICAL entries leave no room for others", async () => {
  const context = { rules: "r".repeat(900), goal: "g".repeat(300), plan: "p".repeat(300), step: 3 };
  const of = (tokens: number): Promise<View> =>
    buildView(
      context,
      { classifications: pinned("goal", "rules"), shorten, budget: { wanted: roomOf(tokens).wanted, ceiling: roomOf(2_000).ceiling } },
      counter,
    );
  expect(await of(300)).toMatchObject({
    context: { rules: context.rules, goal: context.goal },
    largestCritical: { key: "rules", tokens: 301 },
    budgetExceededBy: expect.any(Number) as number,
  });
  expect(await of(550)).not.toHaveProperty("largestCritical");
});

it.each(["\ud800", "\u0000", "𐀀", "注"])("stays within the ceiling when it names a CRITICAL entry with a key of %j", async (letter) => {
  const key = letter.repeat(40);
  const context = { ["k".repeat(40)]: "x".repeat(3_000), [key]: ["", "   "] };
  const options = { classifications: pinned(...Object.keys(context)), shorten };
  for (let tokens = LEAST.tokens; tokens <= 500; tokens++) {
    const ceiling = { tokens, characters: tokens * 3 };
    const view = await buildView(context, { ...options, budget: { wanted: { tokens: 0, characters: 0 }, ceiling } }, counter);
    expect(await size(view)).toSatisfy(({ tokens, characters }: Room) => tokens <= ceiling.tokens && characters <= ceiling.characters);
  }
});

it("shortens a CRITICAL entry that exceeds the ceiling, and leaves room for others", async () => {
  const context = { goal: "g".repeat(9_000), note: "n" };
  const view = await buildView(context, { classifications: pinned("goal"), shorten, budget: roomOf(500) }, counter);
  expect(view.context).toEqual({ goal: expect.stringMatching(/^g{300,1400}…?$/u), note: "n" });
  expect(view.report?.entries).toMatchObject([{ key: "goal", layer: "CRITICAL", outcome: "condensed", tokensBefore: 3_001 }]);
});

it.each([0, -1, -5_000, 1, 7])("reports only the omissions in a room of %i tokens", async (tokens) => {
  const context = { a: 1, b: "two" };
  const view = await buildView(context, { ...WITHOUT_PINS, budget: roomOf(tokens) }, counter);
  expect(view).toEqual({
    context: {},
    report: { kept: 0, reduced: 0, condensed: 0, dropped: 2, entries: [], nextCursor: "0" },
    omitted: { count: 2, entries: [], nextCursor: "0" },
  });
  const { omitted } = await followCursors(context, { ...WITHOUT_PINS, budget: roomOf(tokens) }, view);
  expect(omitted.map((entry) => entry.characters)).toEqual([5, 1]);
});

it("does not report an exceeded budget without CRITICAL entries", async () => {
  expect(await buildView({ a: 1 }, { classifications: pinned("elsewhere"), budget: roomOf(-50) }, counter)).not.toHaveProperty(
    "budgetExceededBy",
  );
});

it("never wants more than the ceiling", async () => {
  const context = { a: "x".repeat(1_000) };
  const budget = { wanted: { tokens: 10_000, characters: 50_000 }, ceiling: { tokens: 100, characters: 400 } };
  expect((await buildView(context, { ...UNCLASSIFIED, budget }, counter)).context).toEqual({});
});

it("shortens long keys in the report between characters", async () => {
  const long = `${"k".repeat(119)}😀${"k".repeat(500)}`;
  const view = await buildView({ [long]: "x".repeat(9_000) }, { ...UNCLASSIFIED, budget: roomOf(1_000) }, counter);
  const name = { key: `${"k".repeat(119)}...`, keyCharacters: long.length };
  expect(view.omitted?.entries).toEqual([{ ...name, characters: 9_002 }]);
  expect(view.report?.entries).toMatchObject([name]);
});

it("finishes a report after the last entry", async () => {
  const context = { a: "x".repeat(9_000) };
  const counts = { kept: 0, reduced: 0, condensed: 0, dropped: 1, entries: [] };
  for (const cursor of [1, 999]) {
    const page = await buildView(context, { ...UNCLASSIFIED, budget: roomOf(200), cursor }, counter);
    expect(page).toEqual({ context: {}, report: counts, omitted: { count: 1, entries: [] } });
  }
});

it.each([undefined, "key 7 of many"])("is fast with 100,000 small entries, and counts few of them (focus: %s)", async (focus) => {
  let counted = 0;
  const counting = tokensCounted((text) => {
    counted += text.length;
    return Math.ceil(text.length / 3);
  });
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key-${index}`, index]));
  const pins = Array.from({ length: 200 }, (_, index) => `key-${index * 100}`);
  const started = performance.now();
  const options = { classifications: pinned(...pins), shorten, focus };
  const view = await buildView(many, { ...options, budget: roomOf(10_000, 45_000) }, counting);
  expect(performance.now() - started).toBeLessThan(30_000);
  expect(counted).toBeLessThan(400_000);
  expect(Object.keys(view.context).length).toBeGreaterThan(1_000);
  expect(view.omitted?.count).toBe(100_000 - Object.keys(view.context).length);
});
