import { describe, expect, it } from "vitest";
import { encodeUtf8 } from "./json/utf8.ts";
import { quickDigest } from "./quick-digest.ts";

const digestOf = (text: string): string => quickDigest(encodeUtf8(text));

describe("quickDigest", () => {
  it("returns 16 hexadecimal digits, equal for equal bytes", () => {
    expect(digestOf("")).toMatch(/^[0-9a-f]{16}$/u);
    expect(digestOf("a session")).toBe(digestOf("a session"));
    // The names of state files depend on this value.
    expect(digestOf("a session")).toMatchInlineSnapshot(`"d170e95128440f2e"`);
  });

  it("differs for texts that differ in a letter, order or length", () => {
    const texts = Array.from({ length: 50_000 }, (_, index) => `/home/dev/project-${index}`);
    const others = ["ab", "ba", "a", "aa", "", "\0", "\0\0"];
    expect(new Set([...texts, ...others].map(digestOf)).size).toBe(texts.length + others.length);
    expect(new Set(texts.map((text) => digestOf(text).slice(0, 8))).size).toBeGreaterThan(texts.length - 5);
  });
});
