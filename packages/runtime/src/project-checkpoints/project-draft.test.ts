import type { WorkrailError } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { checkCount, checkProjectDraft, checkProjectTags } from "./project-draft.ts";

/** Returns the code, the field and the broken rule of a refused draft. */
function refusalOf(draft: object): unknown {
  try {
    checkProjectDraft({ summary: "s", ...draft });
    return undefined;
  } catch (error) {
    const { code, details } = error as WorkrailError;
    return [code, details["field"], details["rule"]];
  }
}

function pairs(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${index}`, "value"]));
}

describe("the summary of a project checkpoint", () => {
  it.each(["a", "x".repeat(500), "🙂".repeat(500), "漢".repeat(500), "Añadí 認証 😀\nin two lines"])("may be %j", (summary) => {
    expect(refusalOf({ summary })).toBeUndefined();
  });

  it.each(["", "  \n", "x".repeat(501), "🙂".repeat(501), 5, null, undefined])(
    "may not be %j: it is required, of 1-500 characters",
    (summary) => {
      expect(refusalOf({ summary })).toEqual(["INVALID_INPUT", "summary", "summary must be 1-500 characters"]);
    },
  );

  it("is refused for a lone surrogate, before any other rule", () => {
    const rule = "summary must not contain half of a surrogate pair";
    expect(refusalOf({ summary: "half \ud83d" })).toEqual(["INVALID_INPUT", "summary", rule]);
  });
});

describe("its description", () => {
  it.each([undefined, "", "x".repeat(10_000), "🙂".repeat(10_000)])("is optional, of at most 10,000 characters", (description) => {
    expect(refusalOf({ description })).toBeUndefined();
  });

  it.each(["x".repeat(10_001), "🙂".repeat(10_001), 5, null])("is refused beyond that, or as no text", (description) => {
    expect(refusalOf({ description })).toEqual(["INVALID_INPUT", "description", "description must be at most 10000 characters"]);
  });
});

describe("its context", () => {
  it.each<[string, object | undefined]>([
    ["none", undefined],
    ["an empty one", {}],
    ["50 key-value pairs", pairs(50)],
    ["a key of 50 characters", { ["k".repeat(50)]: "v" }],
    ["a value of 500 characters", { key: "v".repeat(500) }],
    ["every kind of scalar", { text: "", number: -1.5, yes: true, no: false, nothing: null }],
    ["a key that objects have", JSON.parse('{"__proto__": "v", "constructor": "v"}') as object],
  ])("may be %s", (_, context) => {
    expect(refusalOf({ context })).toBeUndefined();
  });

  it.each<[string, unknown, string]>([
    ["51 pairs", pairs(51), "context must have at most 50 key-value pairs"],
    ["a key of 51 characters", { ["k".repeat(51)]: "v" }, "each key of context must be at most 50 characters"],
    ["a value of 501 characters", { key: "v".repeat(501) }, "each value of context must be at most 500 characters"],
    ["an object in it", { key: {} }, "each value of context must be a text, a number, true, false or null"],
    ["a list in it", { key: ["v"] }, "each value of context must be a text, a number, true, false or null"],
    ["a number that JSON has not", { key: Number.NaN }, "each number of context must be within the range of a double"],
    ["a key without a value", { key: undefined }, "each value of context must be a text, a number, true, false or null"],
    ["a list", [], "context must be an object"],
    ["null", null, "context must be an object"],
    ["text", "branch: main", "context must be an object"],
  ])("may not be or have %s", (_, context, rule) => {
    expect(refusalOf({ context })).toEqual(["INVALID_INPUT", "context", rule]);
  });
});

describe("its tags", () => {
  it.each<[string, readonly string[] | undefined]>([
    ["none", undefined],
    ["an empty list", []],
    ["20 of them", Array.from({ length: 20 }, (_, index) => `tag ${index}`)],
    ["one of 50 characters", ["t".repeat(50)]],
  ])("may be %s", (_, tags) => {
    expect(refusalOf({ tags })).toBeUndefined();
  });

  it.each<[string, unknown, string]>([
    ["21 of them", Array.from({ length: 21 }, (_, index) => `tag ${index}`), "tags must be a list of at most 20"],
    ["no list", "auth", "tags must be a list of at most 20"],
    ["one of 51 characters", ["t".repeat(51)], "each of tags must be 1-50 characters"],
    ["an empty one", [""], "each of tags must be 1-50 characters"],
    ["one that is no text", [5], "each of tags must be 1-50 characters"],
  ])("may not be %s", (_, tags, rule) => {
    expect(refusalOf({ tags })).toEqual(["INVALID_INPUT", "tags", rule]);
    expect(() => checkProjectTags(tags as string[])).toThrow(rule);
  });
});

describe("a count", () => {
  it("is a whole number within its range", () => {
    expect(() => checkCount("topK", 1, { least: 1, most: 100 })).not.toThrow();
    expect(() => checkCount("topK", 100, { least: 1, most: 100 })).not.toThrow();
    for (const value of [0, 101, 1.5, Number.NaN])
      expect(() => checkCount("topK", value, { least: 1, most: 100 })).toThrow("topK must be a whole number 1-100");
    expect(() => checkCount("offset", -1, { least: 0 })).toThrow("offset must be a whole number from 0");
  });
});

describe("characters of a project checkpoint", () => {
  it("are code points in tags, and in keys and values of the context, too", () => {
    const [short, long] = ["🙂".repeat(50), "🙂".repeat(500)];
    expect(refusalOf({ summary: "s", tags: [short], context: { [short]: long } })).toBeUndefined();
    expect(refusalOf({ summary: "s", tags: [`${short}x`] })).toEqual(["INVALID_INPUT", "tags", "each of tags must be 1-50 characters"]);
    expect(refusalOf({ summary: "s", context: { [`${short}x`]: 1 } })).toEqual([
      "INVALID_INPUT",
      "context",
      "each key of context must be at most 50 characters",
    ]);
    expect(refusalOf({ summary: "s", context: { k: `${long}x` } })).toEqual([
      "INVALID_INPUT",
      "context",
      "each value of context must be at most 500 characters",
    ]);
  });
});
