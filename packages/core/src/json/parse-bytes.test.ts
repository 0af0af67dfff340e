import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonValue } from "../model/context.ts";
import { encodeUtf8 } from "./utf8.ts";
import { atOnce } from "../turns.ts";
import { parseJson } from "./parse-json.ts";
import { parseBytes } from "./parse-bytes.ts";
import { anyCharacter } from "../../../storage-conformance/test/any-character.ts";
import { runsOf } from "../../../storage-conformance/test/long-form.ts";

const someText = fc.oneof(
  fc.constantFrom("__proto__", "1", "10", "a", '"', "\\", '\\"', "\n", "{", "]", ",", ":", "é", "🚀", "\ud800", "\u2028"),
  fc.string({ unit: anyCharacter }),
  fc.array(fc.constantFrom("\\", '"', "\u0001", "u", "é", "🚀", "a"), { maxLength: 60 }).map((signs) => signs.join("")),
);
const someValue = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.oneof(fc.constantFrom(null, true, false, 0, -1.5e-7), fc.integer(), someText),
    fc.array(tie("value")),
    fc.array(fc.tuple(someText, tie("value"))).map((members): JsonValue => Object.fromEntries(members)),
  ),
})).value;

it("parseBytes equals JSON.parse, key order included, for any part size", () => {
  fc.assert(
    fc.property(someValue, fc.integer({ min: 1, max: 60 }), (value, size) => {
      const text = JSON.stringify(value);
      const read = atOnce(parseBytes(encodeUtf8(text), size));
      expect(JSON.stringify(read)).toBe(text);
      expect(read).toStrictEqual(parseJson(text));
    }),
    { numRuns: runsOf(3_000) },
  );
});

it("parseBytes keeps the last of duplicate members at the place of the first", () => {
  const read = atOnce(parseBytes(encodeUtf8(`{"a":[1,2,3,4],"b":2,"a":{"c":[5,6]},"d":0}`), 4));
  expect(JSON.stringify(read)).toBe(`{"a":{"c":[5,6]},"b":2,"d":0}`);
});

it.each(["", "{", `{"a":`, `[1,2`, `"open`, `{"a":[1,2}`])("refuses %j", (text) => {
  expect(() => atOnce(parseBytes(encodeUtf8(text), 1))).toThrow(SyntaxError);
});

it.each<[string, JsonValue]>([
  ["many small values", Array.from({ length: 200_000 }, () => ["x"])],
  ["a text full of quotes", { text: '"'.repeat(500_000) }],
  ["one long text, deep inside", [[{ text: ["é".repeat(2_000_000)] }]]],
])("can be left for a moment again and again while it reads %s", (_, value) => {
  const text = JSON.stringify(value);
  const steps = parseBytes(encodeUtf8(text));
  let rests = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done !== true) {
      rests += 1;
      continue;
    }
    expect(JSON.stringify(step.value) === text).toBe(true);
    break;
  }
  expect(rests).toBeGreaterThan(3);
});
