import { canonicalJson } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { atStep, generateContext } from "./generate-context.ts";

const sizes = [1_000, 10_000, 100_000, 1_000_000];

describe("generateContext", () => {
  it.each(sizes)("meets a size of %i bytes exactly", (bytes) => {
    expect(Buffer.byteLength(JSON.stringify(generateContext(bytes, 1)))).toBe(bytes);
  });

  it("gives the same context for the same seed, another for another", () => {
    const [first, again, other] = [1, 1, 2].map((seed) => JSON.stringify(generateContext(20_000, seed)));
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it.each(sizes)("does not write the keys of %i bytes in canonical order", (bytes) => {
    const context = generateContext(bytes, 1);
    expect(canonicalJson(context)).not.toBe(JSON.stringify(context));
  });

  it("has text beyond ASCII, nested objects, and values of every kind", () => {
    const text = JSON.stringify(generateContext(100_000, 1));
    expect(text).toMatch(/[^\p{ASCII}]/u);
    expect(text).toMatch(/\{[^{}]*\{/);
    for (const value of ["null", "false", "0.75"]) expect(text).toContain(`:${value}`.replace(":null", "null"));
  });
});

describe("atStep", () => {
  it("differs only between steps", () => {
    const context = generateContext(1_000, 1);
    expect(JSON.stringify(atStep(context, 1))).not.toBe(JSON.stringify(atStep(context, 2)));
    expect(Object.keys(atStep(context, 1))).toEqual(Object.keys(context));
  });
});
