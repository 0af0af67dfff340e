import { findSecrets } from "@workrail/secrets";
import { describe, expect, it } from "vitest";
import { cleanText, EMBEDDED_CHARACTERS, textToEmbed } from "./text-to-embed.ts";

const TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

describe("the text that is embedded", () => {
  it("is the name and the new lines", () => {
    expect(textToEmbed("Disk full", ["plan", "old", "new", "newer"], ["plan", "old"], findSecrets)).toBe("Disk full\nnew\nnewer");
    expect(textToEmbed(undefined, ["plan", "old"], [], findSecrets)).toBe("plan\nold");
  });

  it("is all lines when none is new, and never empty", () => {
    expect(textToEmbed("Name", ["Name", "old"], ["Name", "old"], findSecrets)).toBe("Name\nold");
    expect(textToEmbed(undefined, [], [], findSecrets)).toBe("(empty)");
    expect(cleanText("  ", findSecrets)).toBe("(empty)");
  });

  it("contains no secret, not even a part of one", () => {
    for (const before of [0, EMBEDDED_CHARACTERS - 20, EMBEDDED_CHARACTERS - 1]) {
      const text = textToEmbed(undefined, [`${"word ".repeat(before / 5)}${TOKEN}`], [], findSecrets);
      expect(text).not.toContain("ghp_");
    }
  });

  it("fits a model and ends with a whole character", () => {
    const text = textToEmbed(undefined, [`a${"😀".repeat(EMBEDDED_CHARACTERS)}`], [], findSecrets);
    expect(text.length).toBe(EMBEDDED_CHARACTERS);
    expect(text.isWellFormed()).toBe(true);
  });
});
