import { isWorkrailError, type WorkrailError } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { parseArguments } from "./parse-arguments.ts";
import { fixtureTools } from "./testing/fixture-tools.ts";
import type { Tool } from "./tool.ts";

const [echo] = fixtureTools as readonly [Tool];
const ALLOWED = "Correct this and call echo again; it takes: userContext, max_items, mode, tags, paths";

function refusalOf(given: unknown): WorkrailError {
  try {
    parseArguments(echo, given);
  } catch (error) {
    if (isWorkrailError(error)) return error;
    throw error;
  }
  throw new Error("was accepted");
}

describe("parseArguments", () => {
  it.each([
    ["snake_case for a camelCase field", { user_context: { a: 1 } }],
    ["a listed alias", { ctx: { a: 1 } }],
  ])("understands %s", (_what, given) => {
    expect(parseArguments(echo, given).input).toEqual({ userContext: { a: 1 } });
  });

  it("understands camelCase for a snake_case field", () => {
    expect(parseArguments(echo, { userContext: {}, maxItems: 5 }).input).toEqual({ userContext: {}, max_items: 5 });
  });

  it("leaves names inside a value alone, and returns the same object as the value", () => {
    const context = { user_context: 1, maxItems: 2 };
    expect(parseArguments(echo, { user_context: context }).input["userContext"]).toBe(context);
  });

  it.each([
    ["a field given twice", { userContext: {}, user_context: {} }, "user_context is another name of userContext, which is given already."],
    ["two aliases of one field", { ctx: {}, user_context: {} }, "user_context is another name of userContext, which is given already."],
    ["a wrong type", { userContext: [] }, "userContext must be an object."],
    ["a number for a text", { userContext: {}, tags: ["ab", 7] }, "tags[1] must be a string, not a number."],
    ["a fraction", { userContext: {}, max_items: 1.5 }, "max_items must be an integer, not a number."],
    ["too small a number", { userContext: {}, max_items: 0 }, "max_items must be at least 1."],
    ["too large a number", { userContext: {}, max_items: 101 }, "max_items must be at most 100."],
    ["too short a text", { userContext: {}, tags: ["a"] }, "tags[0] must have at least 2 characters."],
    ["too many items", { userContext: {}, tags: ["ab", "ab", "ab", "ab"] }, "tags must have at most 3 items."],
    ["another word", { userContext: {}, mode: "bold" }, 'mode must be one of "plain", "fancy".'],
    ["none of two forms", { userContext: {}, paths: [5] }, "paths[0] must be a string or be an array."],
    ["no object at all", "x", "The arguments must be an object, not a string."],
    ["nothing", undefined, "userContext is required and must be an object."],
  ])("names %s", (_what, given, message) => {
    expect(refusalOf(given)).toMatchObject({ code: "INVALID_INPUT", message, hint: ALLOWED });
  });

  it.for<[string, object, object, string]>([
    ["parts between commas", { tags: "ab, cd" }, { tags: ["ab", "cd"] }, 'tags was a text and was read as the list ["ab","cd"].'],
    ["a single text", { tags: "ab" }, { tags: ["ab"] }, 'tags was a text and was read as the list ["ab"].'],
    ["a list as JSON", { tags: '["ab","c,d"]' }, { tags: ["ab", "c,d"] }, "tags was a text and was read as JSON: send a list."],
    [
      "an object as JSON",
      { userContext: '{"a":1}' },
      { userContext: { a: 1 } },
      "userContext was a text and was read as JSON: send an object.",
    ],
  ])("reads a text as a list or an object, and reports that: %s", ([, given, expected, sentence]) => {
    const { input, corrected } = parseArguments(echo, { userContext: {}, ...given });
    expect(input).toEqual({ userContext: {}, ...expected });
    expect(corrected).toEqual([sentence]);
  });

  it("reports nothing when all arguments are right", () => {
    expect(parseArguments(echo, { userContext: {}, tags: ["a,b"] }).corrected).toEqual([]);
  });

  it.each<[string, object, string]>([
    ["of a name that is nearly right", { userContxt: { a: 1 } }, 'Call echo with {"userContext": {"a":1}}'],
    ["of a name that begins alike", { user: { a: 1 } }, 'Call echo with {"userContext": {"a":1}}'],
    ["without what there is not", { userContext: {}, nope: 1 }, 'Without nope: call echo with {"userContext": {}}'],
  ])("names the right call instead of %s", (_what, given, hint) => {
    expect(refusalOf(given)).toMatchObject({ code: "INVALID_INPUT", message: expect.stringContaining("There is no parameter "), hint });
  });

  it("reports three faults and counts the rest", () => {
    const { message } = refusalOf({ userContext: 1, max_items: "x", mode: 1, tags: 5, paths: 5 });
    expect(message).toMatch(/^userContext must be an object\. max_items .*\. mode .*\. 2 more of the kind\.$/u);
  });

  it("never repeats long or stored text", () => {
    const long = "s".repeat(10_000);
    const { message } = refusalOf({ [long]: long, userContext: long, mode: long });
    expect(message.length).toBeLessThan(400);
  });
});
