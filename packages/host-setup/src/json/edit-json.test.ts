import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { valueAt } from "./edit-json.ts";
import { addItem, addMember, removeWithContainers, startOf } from "./json-members.ts";
import type { JsonFile } from "./json-text.ts";

const FILE: JsonFile = { file: "settings.json", dialect: "comments-and-commas" };
const ENTRY = { command: "npx", args: ["-y", "x"] };

const documents = fc
  .tuple(
    fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }),
    fc.constantFrom(undefined, "  ", "    ", "\t"),
    fc.constantFrom("\n", "\r\n"),
  )
  .map(([value, indent, eol]) => JSON.stringify(value, undefined, indent).replaceAll("\n", eol));

describe("an edit of a JSON text", () => {
  it("adds one value, changes no other, and can be undone", () => {
    fc.assert(
      fc.property(documents, (text) => {
        const added = addMember(startOf(FILE, text), ["added to it", "ours"], ENTRY);
        expect(JSON.parse(added.text)).toEqual({ ...(JSON.parse(text) as object), "added to it": { ours: ENTRY } });
        const left = removeWithContainers(added, ["added to it", "ours"], text);
        expect(JSON.parse(left.text)).toEqual(JSON.parse(text));
        expect(left.text.replaceAll(/[\r\n\t ]/gu, "")).toBe(text.replaceAll(/[\r\n\t ]/gu, ""));
      }),
    );
  });

  it("appends an item to an array", () => {
    fc.assert(
      fc.property(documents, fc.array(fc.jsonValue()), (text, items) => {
        const source = addMember(startOf(FILE, text), ["added to it"], items);
        expect(valueAt(addItem(source, ["added to it"], ENTRY), ["added to it"])).toEqual([...items, ENTRY]);
      }),
    );
  });

  it.each([
    ["{}", '{\n  "a": 1\n}'],
    ["{ }", '{\n  "a": 1\n }'],
    ["{\n}", '{\n  "a": 1\n}'],
    ['{ "b": 2 }', '{ "b": 2, "a": 1 }'],
    ['{\n\t"b": 2\n}', '{\n\t"b": 2,\n\t"a": 1\n}'],
    ['{\n  "b": 2 // of b\n}', '{\n  "b": 2, // of b\n  "a": 1\n}'],
    ['{\n  "b": 2, // of b\n}', '{\n  "b": 2, // of b\n  "a": 1,\n}'],
    ['{\n  "b": 2 /* , */\n  // end\n}', '{\n  "b": 2, /* , */\n  // end\n  "a": 1\n}'],
  ])("formats a new member like its neighbours: %j", (text, expected) => {
    const added = addMember(startOf(FILE, text), ["a"], 1);
    expect(added.text).toBe(expected);
    const left = removeWithContainers(added, ["a"], text).text;
    expect(left.replaceAll(/\s/gu, "")).toBe(text.replaceAll(/\s/gu, ""));
  });

  it.each([
    ['{\n  "b": 2,\n  // before\n  "a": 1, // beside\n  "c": 3\n}', '{\n  "b": 2,\n  // before\n   // beside\n  "c": 3\n}'],
    ['{\n  // before\n  "a": 1 }', "{\n  // before\n   }"],
    ['{ "b": 2, // of b\n  "a": 1 }', '{ "b": 2 // of b\n   }'],
  ])("keeps the comments around a removed entry: %j", (text, expected) => {
    expect(removeWithContainers(startOf(FILE, text), ["a"], undefined).text).toBe(expected);
  });
});
