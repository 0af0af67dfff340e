import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/context.ts";
import { LABEL_LIMITS } from "../../model/limits.ts";
import { checkAttributes, checkName, checkPath, checkTags } from "./labels.ts";

function refusal(field: string): Error {
  return expect.objectContaining({ code: "INVALID_INPUT", details: { field } }) as Error;
}

describe("a name", () => {
  it.each([undefined, "a", "Grün 😀\n", "x".repeat(LABEL_LIMITS.nameLength)])("may be %j", (name) => {
    expect(() => checkName(name, "name")).not.toThrow();
  });

  it.each(["", "x".repeat(LABEL_LIMITS.nameLength + 1), "half \ud83d", "a\0b", 5, null, {}])("may not be %j", (name) => {
    expect(() => checkName(name as string, "agentId")).toThrow(refusal("agentId"));
  });
});

describe("a path", () => {
  it.each([undefined, "/a", "C:\\a", "x".repeat(LABEL_LIMITS.pathLength)])("may be %j", (path) => {
    expect(() => checkPath(path, "project")).not.toThrow();
  });

  it.each(["", "x".repeat(LABEL_LIMITS.pathLength + 1), "/half \ud83d", 5, null, {}, [], true])("may not be %j", (path) => {
    expect(() => checkPath(path as string, "project")).toThrow(refusal("project"));
  });
});

describe("tags", () => {
  it("may be as many and as long as the limits say", () => {
    const longest = "t".repeat(LABEL_LIMITS.tagLength);
    expect(() => checkTags([])).not.toThrow();
    expect(() => checkTags(Array.from({ length: LABEL_LIMITS.tags }, () => longest))).not.toThrow();
  });

  it.each([
    ["too many", Array.from({ length: LABEL_LIMITS.tags + 1 }, () => "t")],
    ["an empty one", ["a", ""]],
    ["one too long", ["t".repeat(LABEL_LIMITS.tagLength + 1)]],
    ["half a character", ["\udc00"]],
    ["NUL", ["a\0b"]],
    ["one that is no text", [5 as unknown as string]],
    ["no list", "tags" as unknown as string[]],
  ])("are refused: %s", (_, tags) => {
    expect(() => checkTags(tags)).toThrow(refusal("tags"));
  });
});

describe("attributes", () => {
  it("may be any JSON object within the limit", () => {
    const longest = LABEL_LIMITS.attributesLength - `{"a":""}`.length;
    expect(() => checkAttributes(JSON.parse(`{"__proto__":1,"a":[null]}`) as JsonObject)).not.toThrow();
    expect(() => checkAttributes({ a: "x".repeat(longest) })).not.toThrow();
    expect(() => checkAttributes({ a: "x".repeat(longest + 1) })).toThrow(refusal("metadata"));
  });

  it.each([null, [], "text", 5])("may not be %j", (attributes) => {
    expect(() => checkAttributes(attributes as unknown as JsonObject)).toThrow(refusal("metadata"));
  });

  it("are named in the error when they hold values that JSON cannot", () => {
    expect(() => checkAttributes({ at: [Number.NaN] })).toThrow(refusal(`metadata["at"][0]`));
  });
});
