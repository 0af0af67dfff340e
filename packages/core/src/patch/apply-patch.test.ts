import { describe, expect, it } from "vitest";
import { isWorkrailError } from "../errors.ts";
import type { Context } from "../model/context.ts";
import { DEFAULT_LIMITS } from "../model/limits.ts";
import { applyPatch } from "./apply-patch.ts";
import { parseGivenState } from "./parse-given-state.ts";

function patched(base: Context, patch: unknown): ReturnType<typeof applyPatch> {
  const given = parseGivenState({ patch }, DEFAULT_LIMITS);
  if (given.patch === undefined) throw new Error("It is no patch.");
  return applyPatch(base, given.patch);
}

function refusal(base: Context, patch: unknown): { message: string; hint: string; details: object } {
  try {
    patched(base, patch);
  } catch (error) {
    if (isWorkrailError(error) && error.code === "INVALID_INPUT")
      return { message: error.message, hint: error.hint ?? "", details: error.details };
    throw error;
  }
  throw new Error("It was not refused.");
}

const text = (context: Context): string => JSON.stringify(context);

describe("applyPatch", () => {
  it("sets, appends and removes in one step, and reports the changes", () => {
    const base = { goal: "g", plan: [1, 2, 3, 4, 5], log: ["a"], draft: true, note: "n" };
    const { context, changes } = patched(base, {
      set: { plan: [1, 2], step: 4 },
      append: { log: ["b", "c"], ideas: "one" },
      remove: ["draft", "nothing"],
    });
    expect(text(context)).toBe('{"goal":"g","plan":[1,2],"log":["a","b","c"],"note":"n","step":4,"ideas":["one"]}');
    expect(changes).toEqual({
      set: ["plan", "step"],
      appended: [
        ["log", 2],
        ["ideas", 1],
      ],
      removed: ["draft"],
      notFound: ["nothing"],
      replaced: [["plan", "5 items -> 2"]],
      keptKeys: 2,
    });
  });

  it("does not change its base", () => {
    const base = { list: [{ a: 1 }], deep: { x: { y: 1 } } };
    const before = text(base);
    patched(base, { set: { "/deep/x/y": 2, "/list/0/a": 3 } });
    expect(text(base)).toBe(before);
  });

  it("stores null, and keeps the place of a key that is set", () => {
    expect(text(patched({ a: 1, b: 2 }, { set: { a: null } }).context)).toBe('{"a":null,"b":2}');
  });

  it("reads a name as a key if the base has it, else as a JSON Pointer", () => {
    expect(text(patched({ "/a": 1, a: 2 }, { set: { "/a": 3 } }).context)).toBe('{"/a":3,"a":2}');
    expect(text(patched({ a: 2 }, { set: { "/a": 3, "/b": 4 } }).context)).toBe('{"a":3,"b":4}');
    expect(text(patched({ "a/b": { "m~n": 1 } }, { set: { "/a~1b/m~0n": 2 } }).context)).toBe('{"a/b":{"m~n":2}}');
    expect(text(patched({ "~1": 1 }, { remove: ["/~01"] }).context)).toBe("{}");
    expect(text(patched({}, { set: { "/~1etc": 1 } }).context)).toBe('{"/etc":1}');
    expect(text(patched({ "": { "": 1 } }, { set: { "//": 2 } }).context)).toBe('{"":{"":2}}');
  });

  it("addresses list items by index, always relative to the base", () => {
    const base = { list: ["a", "b", "c", "d"] };
    expect(text(patched(base, { set: { "/list/3": "D" }, remove: ["/list/0", "/list/2"] }).context)).toBe('{"list":["b","D"]}');
    expect(text(patched({ rows: [{ cells: [1] }] }, { append: { "/rows/0/cells": [2, 3] } }).context)).toBe('{"rows":[{"cells":[1,2,3]}]}');
    expect(patched(base, { remove: ["/list/9"] }).changes).toMatchObject({ removed: [], notFound: ["/list/9"] });
  });

  it("treats __proto__ as a key like any other", () => {
    const base = JSON.parse('{"__proto__":{"x":1},"constructor":1}') as Context;
    const patch: unknown = JSON.parse('{"set":{"/__proto__/x":2,"toString":3}}');
    expect(text(patched(base, patch).context)).toBe('{"__proto__":{"x":2},"constructor":1,"toString":3}');
    expect(text(patched({}, JSON.parse('{"set":{"__proto__":1}}')).context)).toBe('{"__proto__":1}');
    expect(refusal({}, { set: { "/toString/x": 1 } }).message).toContain("whose parent does not exist");
    expect(Object.prototype).not.toHaveProperty("x");
  });

  it("appends a non-list as one item, a nested list as one item, and an empty list as nothing", () => {
    expect(text(patched({ a: [] }, { append: { a: { b: 1 } } }).context)).toBe('{"a":[{"b":1}]}');
    expect(text(patched({ a: [] }, { append: { a: [[1, 2]] } }).context)).toBe('{"a":[[1,2]]}');
    expect(text(patched({}, { append: { a: [] } }).context)).toBe('{"a":[]}');
    expect(text(patched({ a: {} }, { append: { "/a/b": null } }).context)).toBe('{"a":{"b":[null]}}');
  });

  it.each([
    ["a text", "x"],
    ["an object", {}],
    ["a number", 1],
    ["null", null],
  ])("does not append to %s, and names the call that replaces it", (kind, value) => {
    const { message, hint } = refusal({ notes: value }, { append: { notes: ["x"] } });
    expect(message).toBe(`patch.append names "notes", which is ${kind}, not a list.`);
    expect(hint).toContain('{"set":{"notes":...}}');
  });

  it.each([
    [{ set: { a: 1 }, remove: ["a"] }],
    [{ set: { a: 1, "/a": 2 } }],
    [{ set: { "/a/b": 1 }, append: { "/a/b/list": [1] } }],
    [{ set: { "/a/b/list/0": 1 }, append: { "/a/b/list": [1] } }],
    [{ set: { a: 1, "/a/b/c": 2 } }],
    [{ remove: ["a", "a"] }],
    [{ remove: ["/a/b/c", "/a/b"] }],
  ])("refuses places that overlap: %j", (patch) => {
    expect(refusal({ a: { b: { c: 1, list: [0] } } }, patch).message).toMatch(/twice|which overlap/u);
  });

  it("accepts adjacent places", () => {
    expect(text(patched({ a: { b: 1, bc: 2 }, ab: 3 }, { set: { "/a/b": 4, "/a/bc": 5, ab: 6 } }).context)).toBe(
      '{"a":{"b":4,"bc":5},"ab":6}',
    );
  });

  it("lists the existing keys when a parent is missing", () => {
    const { message, hint, details } = refusal({ plan: { steps: [] }, log: [] }, { set: { "/plann/steps": 1 } });
    expect(message).toContain('the context has no "plann"');
    expect(hint).toContain("It has: plan, log.");
    expect(hint).toContain('A new key that begins with / is written "/~1plann~1steps".');
    expect(details).toEqual({ field: "patch.set", place: "/plann/steps", keys: ["plan", "log"] });
    expect(refusal({ plan: { a: 1, b: 2 } }, { remove: ["/plan/c/d"] }).hint).toContain("It has: a, b.");
    expect(refusal({ plan: "text" }, { set: { "/plan/x": 1 } }).message).toContain('"/plan" is a text, which has no keys');
  });

  it.each([
    ["/list/-", "- is not an index here"],
    ["/list/2", "out of range: the list has the indexes 0 to 1"],
    ["/list/01", "items have indexes from 0"],
    ["/list/-1", "items have indexes from 0"],
    ["/list/x", "items have indexes from 0"],
    ["/~2", "is no JSON Pointer"],
    ["/a~", "is no JSON Pointer"],
  ])("refuses the place %s", (place, rule) => {
    expect(refusal({ list: [1, 2] }, { set: { [place]: 0 } }).message).toContain(rule);
  });

  it("reports the sizes of replaced values with content", () => {
    const base = { list: [1], object: { a: 1, b: 2 }, long: "x".repeat(300), short: "x", none: [], number: 1 };
    const set = { list: "text", object: { a: 1 }, long: null, short: "", none: [1], number: 2 };
    expect(patched(base, { set }).changes.replaced).toEqual([
      ["list", "1 item -> 4 characters"],
      ["object", "2 keys -> 1"],
      ["long", "300 characters -> null"],
    ]);
  });
});
