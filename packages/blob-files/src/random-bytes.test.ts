import { describe, expect, it } from "vitest";
import { randomBytes, randomUuid } from "./random-bytes.ts";

describe("randomBytes", () => {
  it("gives the requested number, different each time", () => {
    expect(randomBytes(4)).toHaveLength(4);
    expect(randomBytes(16)).not.toEqual(randomBytes(16));
  });
});

describe("randomUuid", () => {
  it("gives a version 4 UUID, different each time", () => {
    const made = Array.from({ length: 1_000 }, randomUuid);
    for (const uuid of made) expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u);
    expect(new Set(made).size).toBe(made.length);
  });
});
