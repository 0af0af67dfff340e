import { describe, expect, it } from "vitest";
import { isWorkrailError } from "../errors.ts";
import { DEFAULT_LIMITS } from "../model/limits.ts";
import { parseGivenState } from "./parse-given-state.ts";

const parse = (given: { context?: unknown; patch?: unknown }): ReturnType<typeof parseGivenState> => parseGivenState(given, DEFAULT_LIMITS);

function refusal(given: { context?: unknown; patch?: unknown }): { message: string; hint: string; details: object } {
  try {
    parse(given);
  } catch (error) {
    if (isWorkrailError(error) && error.code === "INVALID_INPUT")
      return { message: error.message, hint: error.hint ?? "", details: error.details };
    throw error;
  }
  throw new Error("It was not refused.");
}

describe("parseGivenState", () => {
  it("captures a state or a patch", () => {
    const context = { list: [1] };
    const patch = { set: { a: { b: 1 } }, append: { list: [1] }, remove: ["c"] };
    const state = parse({ context });
    const change = parse({ patch });
    context.list.push(2);
    patch.set.a.b = 2;
    patch.append.list.push(2);
    patch.remove.push("d");
    expect(state).toEqual({ context: { list: [1] }, parsed: [] });
    expect(change).toEqual({ patch: { set: [["a", { b: 1 }]], append: [["list", [1]]], remove: ["c"] }, parsed: [] });
  });

  it("parses and reports JSON texts, as a whole and in the fields of a patch, but not values", () => {
    expect(parse({ context: '{"a":"[1]"}' })).toEqual({ context: { a: "[1]" }, parsed: ["context"] });
    expect(parse({ patch: '{"set":"{\\"a\\":\\"{}\\"}","remove":"[\\"b\\"]"}' })).toEqual({
      patch: { set: [["a", "{}"]], append: [], remove: ["b"] },
      parsed: ["patch", "patch.set", "patch.remove"],
    });
    expect(parse({ patch: { append: '{"log":"line"}' } })).toMatchObject({
      patch: { append: [["log", ["line"]]] },
      parsed: ["patch.append"],
    });
  });

  it.each([[{ context: "goal: ship it" }], [{ patch: "step 4" }], [{ patch: { set: "a=1" } }]])(
    "refuses text that is not JSON: %j",
    (given) => {
      const { message, hint } = refusal(given);
      expect(message).toContain("is a text that is not JSON");
      expect(hint).toContain("as an object, not as text");
    },
  );

  it("suggests the intended call for a patch without set", () => {
    expect(refusal({ patch: { step: 4, goal: "g" } }).hint).toContain('{"patch":{"set":{"step":...,"goal":...}}}');
    expect(refusal({ patch: { set: { a: 1 }, step: 4 } }).message).toBe('patch has no field "step".');
    expect(refusal({ patch: {} }).message).toBe("patch has none of set, append and remove.");
  });

  it("suggests both possible calls for context and patch together", () => {
    const { message, hint } = refusal({ context: { a: 1 }, patch: { set: { step: 4 }, append: { log: 1 }, remove: ["x"] } });
    expect(message).toBe("context and patch cannot be given together.");
    expect(hint).toBe(
      'To save changes, leave context out: {"patch":{"set":{"step":...},"append":{"log":...},"remove":[...]}}. To replace the whole state, leave patch out.',
    );
  });

  it("shows the form of a patch for a missing state, a JSON Patch, and fields of a wrong type", () => {
    expect(refusal({}).hint).toContain('"set":{"key":...}');
    expect(refusal({ patch: [{ op: "add", path: "/a", value: 1 }] }).message).toContain("patch is not a JSON Patch");
    expect(refusal({ patch: 7 }).message).toBe("patch must be an object.");
    expect(refusal({ patch: { set: ["a"] } }).hint).toBe('Send {"patch":{"set":{"key":...}}}.');
    expect(refusal({ patch: { remove: "goal" } }).hint).toBe('Send {"patch":{"remove":["goal"]}}.');
    expect(refusal({ patch: { remove: [1] } }).hint).toContain('{"remove":["key"]}');
    expect(refusal({ context: null }).message).toContain("context must be a JSON object");
    expect(refusal({ context: "[1]" }).message).toContain("context must be a JSON object");
  });

  it("refuses values that are no JSON or nested too deeply", () => {
    expect(refusal({ patch: { set: { a: [undefined] } } }).message).toContain('patch["set"]["a"][0] is undefined');
    expect(parseGivenState({ patch: { set: { a: 1, b: undefined } } }, DEFAULT_LIMITS).patch?.set).toEqual([["a", 1]]);
    const limits = { ...DEFAULT_LIMITS, maxDepth: 3 };
    expect(parseGivenState({ patch: { set: { a: { b: {} } } } }, limits).patch?.set).toEqual([["a", { b: {} }]]);
    expect(() => parseGivenState({ patch: { set: { a: { b: { c: { d: {} } } } } } }, limits)).toThrow("nested deeper");
  });
});
