import type { Context } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { linesOf, linesToIndex, searchableTextsOf, textsOf } from "./checkpoint-text.ts";

const NO_LABELS = { name: undefined, tags: [], attributes: {} };

/** Returns the numbers that make a context searchable. */
function numbersOf(context: Context): string[] {
  return searchableTextsOf(NO_LABELS, context).slice(textsOf(NO_LABELS, context).length);
}

describe("the searchable text of a checkpoint", () => {
  it("consists of its name, tags and attributes, the texts of its context, each key once, and its numbers", () => {
    const labels = { name: "Before", tags: ["one", "two"], attributes: { reviewer: "Ada" } };
    const context = { plan: ["first\nline", { plan: "second" }], port: 8443, done: true, rest: null };
    expect(searchableTextsOf(labels, context)).toEqual([
      "Before",
      "one",
      "two",
      "Ada",
      "first\nline",
      "second",
      "plan",
      "port",
      "done",
      "rest",
      "port 8443",
    ]);
  });

  it.each<[string, Context, readonly string[]]>([
    ["two digits to twelve", { few: 7, port: 80, id: 123_456_789_012, at: 1_767_225_600_000 }, ["port 80", "id 123456789012"]],
    ["at most two behind the point", { amount: 12.5, price: 0.05, load: 0.333 }, ["amount 12.5", "price 0.05"]],
    ["whatever their sign", { offset: -300 }, ["offset -300"]],
    ["no more than once under a key", { rows: [{ code: 500 }, { code: 500 }, { status: 500 }] }, ["code 500", "status 500"]],
    ["with the key of their list", { ports: [80, [443]] }, ["ports 80", "ports 443"]],
    ["none of a long list of nothing else", { vector: Array.from({ length: 17 }, (_, at) => at + 10) }, []],
    ["none that are written with an exponent", { large: 1e30, small: 1e-7 }, []],
  ])("has numbers of %s", (_, context, expected) => expect(numbersOf(context).toSorted()).toEqual(expected.toSorted()));

  it("includes deeply nested texts", () => {
    let context: Context = { port: 8443 };
    for (let depth = 0; depth < 20_000; depth++) context = { in: context };
    expect(searchableTextsOf(NO_LABELS, context)).toContain("port 8443");
  });

  it("is split into lines, and long lines into sentences", () => {
    expect(linesOf(["  one \r\n\n two", ""])).toEqual(["one", "two"]);
    const long = `${"word ".repeat(70)}ends. Another begins.`;
    expect(linesOf([long])).toEqual([`${"word ".repeat(70)}ends.`, "Another begins."]);
  });

  it("is indexed by its new lines, each once, lines of the name several times", () => {
    const lines = ["Moved the disk", "old", "new", "new", "Moved the disk"];
    const moved = Array.from({ length: 3 }, () => "Moved the disk");
    expect(linesToIndex({ name: "Moved the disk" }, lines, new Set(["old"])).toSorted()).toEqual([...moved, "new"]);
    expect(linesToIndex({ name: "Moved the disk" }, lines, new Set(lines))).toEqual([]);
    expect(linesToIndex({ name: undefined }, lines, new Set(["old"]))).toEqual(["Moved the disk", "new"]);
  });
});
