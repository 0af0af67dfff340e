import { WorkrailError } from "@workrail/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseWire, writeParams, writeWire } from "./wire.ts";

describe("values between a program and a node", () => {
  it("come back exactly, whatever their keys", () => {
    const key = fc.oneof(fc.constantFrom("$", "$$", "$$$", "__proto__", "1", "toJSON", "\\", "\n", '"'), fc.string());
    const leaf = fc.oneof(
      fc.string(),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.date({ noInvalidDate: true }),
      fc.uint8Array().map((bytes) => Uint8Array.from(bytes)),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 5 }, leaf, fc.array(tie("value")), fc.dictionary(key, tie("value")), tie("map")),
      map: fc.array(fc.tuple(fc.string(), tie("value"))).map((entries) => new Map(entries)),
    }));
    fc.assert(
      fc.property(value, (given) => {
        expect(parseWire(writeWire(given))).toStrictEqual(plainOf(given));
      }),
    );
  });

  it("keep keys that the engine takes for others of the same source", () => {
    for (const first of ["\\", "\n", '"', "\\n"]) {
      for (const second of ["\\", "\n", '"', "\\n"]) {
        const shape = `from ${first} to ${second}`;
        parseWire(writeWire({ [shape]: 0, [first]: 0 }));
        expect(Object.keys(parseWire(writeWire({ [shape]: 0, [second]: 0 })) as object)).toEqual([shape, second]);
      }
    }
  });

  it("keep errors with code, details and hint, and unknown codes as a detail", () => {
    const error = new WorkrailError("CONFLICT", "Somebody was faster.", { details: { at: new Date(0) }, hint: "Load first." });
    expect(parseWire(writeWire({ error }))).toEqual({ error });
    const newer = writeWire({ error }).replace("CONFLICT", "NEWER_CODE");
    expect(parseWire(newer)).toMatchObject({ error: { code: "INTERNAL", message: error.message, details: { code: "NEWER_CODE" } } });
  });

  it.each([[() => {}], [1n], [Symbol("a")], [cycle()]])("refuse what no message can hold", (value) => {
    expect(() => writeParams({ value })).toThrow(expect.objectContaining({ code: "INVALID_INPUT", hint: expect.any(String) }));
  });

  it.each([
    [Promise.resolve(1)],
    [/a/u],
    [new URL("https://a.example")],
    [new Error("a")],
    [Object.create({ inherited: 1 })],
    [{ toJSON: () => 1 }],
  ])("refuse an object that JSON would change", (value) => {
    expect(() => writeParams({ value: [{ value }] })).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
  });

  it("refuse a value of an unknown kind", () => {
    expect(() => parseWire('{"a":{"$":["file","/etc/passwd"]}}')).toThrow(SyntaxError);
  });
});

function cycle(): object {
  const value: Record<string, unknown> = {};
  value["self"] = value;
  return value;
}

/** Gives objects the usual prototype; `fast-check` makes some without. */
function plainOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainOf);
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [key, plainOf(each)]));
  if (typeof value !== "object" || value === null || value instanceof Date || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plainOf(each)]));
}
