import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { loadPatterns } from "./patterns.ts";

describe("expressions of users", () => {
  it("match anywhere, in the syntax of RE2", async () => {
    const patterns = await loadPatterns();
    expect(patterns.compile("spec|goal")("my goals")).toBe(true);
    expect(patterns.compile("^goal$")("my goals")).toBe(false);
    expect(patterns.compile("(?i)^GOAL")("goals")).toBe(true);
    expect(patterns.compile(String.raw`\p{Lu}`)("ärÄ")).toBe(true);
  });

  it.each([
    "(?=a)b",
    "(?!a)b",
    "(?<=a)b",
    "(?<!a)b",
    String.raw`(a)\1`,
    String.raw`(?<x>a)\k<x>`,
    "[",
    "a{2000}",
    "(a{100}){100}",
    "(.{900}){1}(.{900}){1}(.{900}){1}(.{900}){1}(.{900}){1}(.{900}){1}",
  ])("that need more than one pass are refused: %s", async (pattern) => {
    const patterns = await loadPatterns();
    expect(() => patterns.compile(pattern)).toThrow(
      expect.objectContaining({
        code: "INVALID_INPUT",
        hint: expect.stringContaining("RE2") as string,
        details: expect.objectContaining({ pattern }) as object,
      }),
    );
  });

  // A backtracking engine tries every split of the text, twice as many with each character, and would never finish.
  it.each(["^(a+)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(x+x+)+y", "^(a|a?)+$", "(a*)*b"])(
    "that take exponential time in other engines end on a long text: %s",
    async (pattern) => {
      const patterns = await loadPatterns();
      expect(patterns.compile(pattern)(`${"a".repeat(100_000)}!`)).toBe(false);
    },
  );

  it("read each character a fixed number of times, however long the text", () => {
    const reads = (pattern: string, length: number): number => {
      let count = 0;
      const bytes = Array.from({ length }, () => "a".charCodeAt(0));
      const counted = new Proxy(bytes, {
        get(target, key, receiver) {
          count++;
          return Reflect.get(target, key, receiver) as unknown;
        },
      });
      RE2JS.compile(pattern).test(counted);
      return count;
    };
    for (const pattern of ["^(a+)+$x", "(x+x+)+y", "(a*)*b"]) {
      expect(reads(pattern, 8_000), pattern).toBeLessThanOrEqual(2.1 * reads(pattern, 4_000) + 100);
    }
  });
});
