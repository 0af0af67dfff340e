import { describe, expect, it } from "vitest";
import { findPlanted } from "../secrets/testing/find-planted.ts";
import { cleanText, EMBEDDED_CHARACTERS, textToEmbed } from "./text-to-embed.ts";

const TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

describe("the text that is embedded", () => {
  it("is the name and the new lines", () => {
    expect(textToEmbed("Disk full", ["plan", "old", "new", "newer"], ["plan", "old"], findPlanted)).toBe("Disk full\nnew\nnewer");
    expect(textToEmbed(undefined, ["plan", "old"], [], findPlanted)).toBe("plan\nold");
  });

  it("is all lines when none is new, and never empty", () => {
    expect(textToEmbed("Name", ["Name", "old"], ["Name", "old"], findPlanted)).toBe("Name\nold");
    expect(textToEmbed(undefined, [], [], findPlanted)).toBe("(empty)");
    expect(cleanText("  ", findPlanted)).toBe("(empty)");
  });

  it("contains no secret, not even a part of one", () => {
    for (const before of [0, EMBEDDED_CHARACTERS - 20, EMBEDDED_CHARACTERS - 1]) {
      const text = textToEmbed(undefined, [`${"word ".repeat(before / 5)}${TOKEN}`], [], findPlanted);
      expect(text).not.toContain("ghp_");
    }
  });

  it("fits a model and ends with a whole character", () => {
    const text = textToEmbed(undefined, [`a${"😀".repeat(EMBEDDED_CHARACTERS)}`], [], findPlanted);
    expect(text.length).toBe(EMBEDDED_CHARACTERS);
    expect(text.isWellFormed()).toBe(true);
  });
});
