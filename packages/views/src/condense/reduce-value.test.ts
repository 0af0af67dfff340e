import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "@workrail/core";
import { reduceValue } from "./reduce-value.ts";
import { anyCharacter } from "../../../storage-conformance/test/any-character.ts";
import { runsOf } from "../../../storage-conformance/test/long-form.ts";

const line = fc.constantFrom(
  "",
  "[3 times more]",
  "    at run (main.js:1:2)",
  "the same line, long enough to be worth a note",
  "a",
  '{"a": [1, 2]}',
  "-".repeat(90),
);
const text = fc.oneof(
  fc.array(line, { maxLength: 40 }).map((lines) => lines.join("\n")),
  fc.json(),
  fc.string({ unit: anyCharacter }),
);
const json = fc.oneof(fc.jsonValue() as fc.Arbitrary<JsonValue>, fc.array(text), fc.dictionary(text, text));

describe("reducing", () => {
  it("is idempotent and never lengthens a text", () => {
    fc.assert(
      fc.property(json, (value) => {
        const once = reduceValue(value);
        expect(reduceValue(once)).toEqual(once);
        expect(JSON.stringify(once).length).toBeLessThanOrEqual(JSON.stringify(value).length);
      }),
      { numRuns: runsOf(500) },
    );
  });

  it("does not merge consecutive equal notes", () => {
    const repeated = "    at run (main.js:1:2)\nthe same line of a text again";
    const once = reduceValue([`first\n${repeated}`, [repeated, repeated, repeated].join("\n")]);
    expect(once).toEqual([`first\n${repeated}`, "[2 lines as above]\n[2 lines as above]\n[2 lines as above]"]);
    expect(reduceValue(once)).toEqual(once);
  });

  it("changes only texts", () => {
    const value = { a: [1, null, true, { b: "short" }], c: {}, d: [] };
    expect(reduceValue(value)).toEqual(value);
  });

  it("writes JSON text without white space and unnecessary quotes, uniform lists as rows", () => {
    const rows = [1, 2, 3].map((id) => ({ id, name: `n${id}`, when: "10:30" }));
    expect(reduceValue(JSON.stringify({ user_id: "mia_li_3668", zip: "78750", note: "yes, no", rows }, null, 2))).toBe(
      [
        "user_id: mia_li_3668",
        'zip: "78750"',
        'note: "yes, no"',
        "rows: [each id, name, when: 1, n1, 10:30; 2, n2, 10:30; 3, n3, 10:30]",
      ].join("\n"),
    );
  });

  it("does not change numbers that would lose precision", () => {
    expect(reduceValue('{ "id": 12345678901234567890, "name": "long enough to be looked at" }')).toContain("12345678901234567890");
  });

  it("refers to earlier lines", () => {
    const output = "first line of the output\nsecond line of the output\nthird line of the output";
    expect(reduceValue([output, `${output}\nand a new one`])).toEqual([output, "[3 lines as above]\nand a new one"]);
  });

  it("counts repeated lines, and keeps the ends of a stack trace", () => {
    const trace = Array.from({ length: 12 }, (_, index) => `    at step${index} (main.js:${index}:1)`);
    const reduced = reduceValue(
      ["waiting for the server", "waiting for the server", "waiting for the server", "Error: no", ...trace].join("\n"),
    );
    expect(reduced).toBe(
      ["waiting for the server", "[2 times more]", "Error: no", ...trace.slice(0, 4), "[6 frames]", ...trace.slice(-2)].join("\n"),
    );
  });

  it("replaces base64 by its length", () => {
    const blob = "iVBORw0KGgoAAAANSUhEUgAAAAUA".repeat(20);
    expect(reduceValue(`see data:image/png;base64,${blob}==`)).toBe(`see [image/png, ${blob.length + 24} characters of base64]`);
  });

  it("distinguishes paths from base64", () => {
    const path = `/srv/App2/${"releases/Current1/node_modules/".repeat(10)}`;
    expect(reduceValue(path)).toBe(path);
    const bytes = Buffer.from(Array.from({ length: 30_000 }, (_, index) => (index * 7919 + (index >> 3) * 104_729) % 251));
    expect(reduceValue(bytes.toString("base64"))).toBe("[40000 characters of base64]");
  });

  it.each([
    ["base64", "iVBORw0KGgoAAAANSUhEUgAAAAUA".repeat(400_000)],
    ["one word", "x".repeat(10_000_000)],
    ["what looks like a colour", `\u001B[${"1".repeat(10_000_000)}`],
    ["a string in JSON", JSON.stringify({ note: "four words are here ".repeat(500_000) })],
  ])("reads ten megabytes of %s", (_name, text) => {
    expect(() => reduceValue(text)).not.toThrow();
  });

  it("distinguishes numbers from numeric texts in JSON text", () => {
    const rows = [
      { zip: "78750", floor: 3 },
      { zip: "02134", floor: 12 },
    ];
    expect(reduceValue(JSON.stringify({ rows, ratio: "1.50", phone: "+43 1 2345" }))).toBe(
      'rows: [each zip, floor: "78750", 3; 02134, 12]\nratio: "1.50"\nphone: +43 1 2345',
    );
  });

  it("keeps the first and every tenth line number, and recognises a line under another number", () => {
    const listing = (first: number): string =>
      Array.from({ length: 12 }, (_, index) => `${first + index}:  const step${index} = run();`).join("\n");
    const reduced = reduceValue([listing(8), listing(9)]) as string[];
    expect(reduced[0]?.split("\n").filter((each) => /^\d/.test(each))).toEqual(["8:  const step0 = run();", "10:  const step2 = run();"]);
    expect(reduced[1]).toBe("[12 lines as above]");
  });

  it("shortens only the ids that link calls to results", () => {
    const id = "call_oIHazX6yQrB8hUwl4cRilFKj";
    const talk = [
      {
        role: "assistant",
        tool_calls: [{ id, type: "function", function: { name: "find", arguments: '{"id": "call_oIHazX6yQrB8hUwl4cRilFKj"}' } }],
      },
      { role: "tool", tool_call_id: id, content: "none" },
    ];
    expect(reduceValue(talk)).toEqual([
      { role: "assistant", tool_calls: [{ id: "c1", type: "function", function: { name: "find", arguments: `id: ${id}` } }] },
      { role: "tool", tool_call_id: "c1", content: "none" },
    ]);
  });
});
