import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { isWorkrailError } from "../errors.ts";
import type { JsonValue } from "../model/context.ts";
import { DEFAULT_LIMITS } from "../model/limits.ts";
import { canonicalJson } from "./write-json.ts";
import { checkJson, setMember, type JsonCheck } from "./check-json.ts";
import { anyCharacter } from "../../../storage-conformance/test/any-character.ts";
import { runsOf } from "../../../storage-conformance/test/long-form.ts";

function refusalOf(value: object, limits: { maxDepth?: number; maxKeys?: number } = {}): string {
  try {
    checkJson(value, { ...DEFAULT_LIMITS, ...limits });
  } catch (error) {
    if (isWorkrailError(error) && error.code === "INVALID_INPUT") return error.message;
    throw error;
  }
  return "accepted";
}

function check(value: object): JsonCheck {
  return checkJson(value, DEFAULT_LIMITS);
}

function nested(levels: number): object {
  let value: object = {};
  for (let level = 1; level < levels; level++) value = level % 2 === 0 ? { in: value } : [value];
  return value;
}

describe("values that JSON cannot hold are refused, with their place", () => {
  class Point {
    readonly x = 1;
  }
  class Written extends Array<number> {
    toJSON(): object {
      return { items: [...this] };
    }
  }
  const hiding = (value: object): object => Object.defineProperty(value, "toJSON", { value: () => "other" });
  it.each<[string, object, string]>([
    ["undefined in an array", { a: [1, { b: [undefined] }] }, `context["a"][1]["b"][0] is undefined, which JSON cannot hold.`],
    ["a function", { run: () => 1 }, `context["run"] is function, which JSON cannot hold.`],
    ["a symbol", { id: Symbol("id") }, `context["id"] is symbol, which JSON cannot hold.`],
    ["a bigint", { size: 10n }, `context["size"] is bigint, which JSON cannot hold.`],
    ["NaN", { mean: Number.NaN }, `context["mean"] is not a finite number.`],
    ["Infinity, which is what 1e400 becomes", { list: [JSON.parse("1e400")] }, `context["list"][0] is not a finite number.`],
    ["minus Infinity", [-Infinity], `context[0] is not a finite number.`],
    ["a date", { at: new Date(0) }, `context["at"] is not a plain object.`],
    ["a map", { seen: new Map() }, `context["seen"] is not a plain object.`],
    ["a set", { seen: new Set() }, `context["seen"] is not a plain object.`],
    ["a regular expression", { pattern: /x/ }, `context["pattern"] is not a plain object.`],
    ["bytes", { blob: new Uint8Array(2) }, `context["blob"] is not a plain object.`],
    ["a boxed number", { n: Object(1) }, `context["n"] is not a plain object.`],
    ["an object of a class", { point: new Point() }, `context["point"] is not a plain object.`],
    ["an array of a class with toJSON", { list: Written.of(1, 2) }, `context["list"] has a method toJSON.`],
    ["an array with a hidden toJSON", { list: hiding([1]) }, `context["list"] has a method toJSON.`],
    ["an object with a hidden toJSON", { a: [hiding({ b: 1 })] }, `context["a"][0] has a method toJSON.`],
    ["a promise", { later: Promise.resolve() }, `context["later"] is not a plain object.`],
    ["a hole in an array", { list: Array(2) }, `context["list"][0] is undefined, which JSON cannot hold.`],
    ["the root itself", new Map(), `context is not a plain object.`],
  ])("%s", (_, value, message) => {
    expect(refusalOf(value)).toBe(message);
  });

  it("names what to do about undefined in an array", () => {
    expect(() => check({ list: [undefined] })).toThrow(expect.objectContaining({ hint: expect.stringContaining("Put null in its place") }));
  });

  it("names the field in the details, too", () => {
    expect(() => check({ a: { b: Number.NaN } })).toThrow(expect.objectContaining({ details: { field: `context["a"]["b"]` } }));
  });

  it("shortens a path of long keys or many levels", () => {
    expect(refusalOf({ ["k".repeat(500)]: () => 1 })).toBe(`context["${"k".repeat(60)}..."] is function, which JSON cannot hold.`);
    let value: unknown = Number.NaN;
    for (let level = 0; level < 20; level++) value = { [`l${level}`]: value };
    expect(refusalOf(value as object)).toBe(`context["l19"]["l18"]["l17"]["l16"]["l15"]["l14"]["l13"]["l12"]... is not a finite number.`);
  });
});

describe("limits", () => {
  it("accepts exactly the allowed number of levels", () => {
    expect(refusalOf(nested(128))).toBe("accepted");
    expect(refusalOf(nested(129))).toMatch(/is nested deeper than 128 levels\.$/);
  });

  it.each([10_000, 1_000_000])("refuses %i levels without exhausting the stack", (levels) => {
    expect(refusalOf(nested(levels))).toMatch(/is nested deeper than 128 levels\.$/);
  });

  it("refuses a circle", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = { circle };
    expect(refusalOf(circle)).toMatch(/is nested deeper than 128 levels\.$/);
  });

  it("counts the keys of all objects together", () => {
    expect(refusalOf({ a: { b: 1 }, c: [{ d: 1 }] }, { maxKeys: 4 })).toBe("accepted");
    expect(refusalOf({ a: { b: 1 }, c: [{ d: 1 }] }, { maxKeys: 3 })).toMatch(/brings the context over 3 keys\.$/);
  });

  it("does not count the items of arrays", () => {
    expect(refusalOf({ list: Array.from({ length: 200_000 }, () => 1) })).toBe("accepted");
  });
});

it("accepts plain objects of any realm, with any keys", () => {
  expect(refusalOf(JSON.parse(`{"__proto__":{"a":1},"constructor":1,"":2,"a/b~c":3}`))).toBe("accepted");
  expect(refusalOf(Object.assign(Object.create(null), { a: 1 }))).toBe("accepted");
  expect(refusalOf(runInNewContext(`({ a: [{ b: null }] })`))).toBe("accepted");
});

it("checks the value of an own key named __proto__", () => {
  expect(refusalOf(JSON.parse(`{"__proto__":[[]]}`), { maxDepth: 2 })).toBe(`context["__proto__"][0] is nested deeper than 2 levels.`);
});

it("accepts the same object in two places, which is no circle", () => {
  const shared = { a: 1 };
  expect(refusalOf({ one: shared, two: [shared, shared] })).toBe("accepted");
});

it("accepts every JSON value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(refusalOf({ value })).toBe("accepted");
    }),
  );
});

it("reports canonical key order exactly when plain JSON is canonical JSON", () => {
  expect(check({ a: 1, b: { c: 1, d: 2 } })).toMatchObject({ isCanonical: true });
  expect(check({ b: 1, a: 2 })).toMatchObject({ isCanonical: false });
  // An object puts integer keys first, in numerical order; canonical JSON puts 10 before 9.
  expect(check({ 9: 1, 10: 2 })).toMatchObject({ isCanonical: false });
  const keys = fc.oneof(fc.string(), fc.string({ unit: anyCharacter }), fc.nat(20).map(String));
  fc.assert(
    fc.property(fc.dictionary(keys, fc.oneof(fc.integer(), fc.dictionary(keys, fc.constant(1)))), (value) => {
      expect(check(value).isCanonical).toBe(JSON.stringify(value) === canonicalJson(value));
    }),
    { numRuns: runsOf(1_000) },
  );
});

it("never reports more characters than the JSON has", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      expect(check(value).characters).toBeLessThanOrEqual(JSON.stringify(value).length);
    }),
  );
  expect(check({ text: "x".repeat(1_000) }).characters).toBeGreaterThan(1_000);
});

describe("members of objects that are undefined", () => {
  it("count as absent", () => {
    expect(check({ a: 1, b: undefined })).toEqual({ ...check({ a: 1 }), hasUndefined: true });
    expect(refusalOf({ a: undefined, b: undefined, c: 1 }, { maxKeys: 1 })).toBe("accepted");
    expect(check({ b: undefined, a: 1 }).isCanonical).toBe(true);
  });
});

it("a member is defined as an own property where the prototype has one of that name", () => {
  const object: Record<string, JsonValue> = {};
  const isCalled = vi.fn();
  Reflect.defineProperty(Object.prototype, "given", { set: isCalled, configurable: true });
  try {
    for (const key of ["given", "constructor", "__proto__", "other"]) setMember(object, key, key);
  } finally {
    Reflect.deleteProperty(Object.prototype, "given");
  }
  expect(Object.entries(object)).toEqual(["given", "constructor", "__proto__", "other"].map((key) => [key, key]));
  expect(isCalled).not.toHaveBeenCalled();
});
