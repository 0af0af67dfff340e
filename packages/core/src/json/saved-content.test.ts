import { createHash } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { DEFAULT_LIMITS } from "../model/limits.ts";
import type { Digest } from "../model/ids.ts";
import type { Digester } from "../ports/environment.ts";
import { prepareContext } from "./saved-content.ts";

const digests: Digester = { sha256: (data) => createHash("sha256").update(data).digest("hex") as Digest };

function prepare(context: unknown, limits: Partial<typeof DEFAULT_LIMITS> = {}) {
  return prepareContext(context, { ...DEFAULT_LIMITS, ...limits }, digests);
}

describe("a prepared context", () => {
  it("has the JSON text as given, and its digest", () => {
    const { bytes, exactDigest } = prepare({ b: "ü", a: [1, null] });
    expect(new TextDecoder().decode(bytes)).toBe(`{"b":"ü","a":[1,null]}`);
    expect(exactDigest).toBe(digests.sha256(`{"b":"ü","a":[1,null]}`));
  });

  it("has one canonical digest for any order of keys, and an exact one for each", () => {
    const one = prepare({ a: 1, b: { d: 1, c: 2 } });
    const other = prepare({ b: { c: 2, d: 1 }, a: 1 });
    expect(other.canonicalDigest).toBe(one.canonicalDigest);
    expect(other.exactDigest).not.toBe(one.exactDigest);
    expect(one.canonicalDigest).toBe(digests.sha256(`{"a":1,"b":{"c":2,"d":1}}`));
  });

  it("has equal digests when its keys are in order", () => {
    const { exactDigest, canonicalDigest } = prepare({ a: 1, b: 2 });
    expect(canonicalDigest).toBe(exactDigest);
  });
});

it.each([null, undefined, "text", 5, true, [], [{ a: 1 }]])("refuses %j: it is not an object", (context) => {
  expect(() => prepare(context)).toThrow(expect.objectContaining({ code: "INVALID_INPUT", details: { field: "context" } }));
});

it("refuses an object with toJSON, because saved data must come back", () => {
  expect(() => prepare({ at: { toJSON: () => "now" } })).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
});

it("measures bytes of UTF-8, not characters", () => {
  const context = { a: "üüüü" };
  expect(prepare(context, { maxContextBytes: 16 }).bytes.length).toBe(16);
  expect(() => prepare(context, { maxContextBytes: 15 })).toThrow(
    expect.objectContaining({ code: "TOO_LARGE", details: { limit: "maxContextBytes", maxContextBytes: 15, contextBytes: 16 } }),
  );
});

it("reports a context as too large when it exceeds the longest possible string", () => {
  vi.spyOn(JSON, "stringify").mockImplementationOnce(() => {
    throw new RangeError("Invalid string length");
  });
  expect(() => prepare({ a: 1 })).toThrow(expect.objectContaining({ code: "TOO_LARGE" }));
});
