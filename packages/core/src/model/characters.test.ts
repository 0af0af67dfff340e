import { describe, expect, it } from "vitest";
import { firstCharacters, hasAtMost } from "./characters.ts";

describe("characters of a text", () => {
  it.each([
    ["", 0],
    ["abc", 3],
    ["é".normalize("NFD"), 2],
    ["🙂".repeat(500), 500],
    ["漢".repeat(500), 500],
    ["a🙂".repeat(250), 500],
  ])("are counted as code points: %j", (text, count) => {
    expect(hasAtMost(count, text)).toBe(true);
    expect(hasAtMost(count - 1, text)).toBe(false);
    expect(firstCharacters(count, text)).toBe(text);
  });

  it("are never cut in halves", () => {
    expect(firstCharacters(3, "a🙂🙂🙂")).toBe("a🙂🙂");
    expect(firstCharacters(2, "🙂🙂🙂")).toBe("🙂🙂");
    expect(firstCharacters(1, "🙂".repeat(1_000_000))).toBe("🙂");
  });
});
