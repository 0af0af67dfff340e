import { findSecrets } from "@workrail/secrets";
import { describe, expect, it } from "vitest";
import { cleanText, EMBEDDED_CHARACTERS, textToEmbed } from "./text-to-embed.ts";

const TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

describe("the text that is embedded", () => {
  it("is the name and the new lines", () => {
    expect(textToEmbed({ name: "Disk full", lines: ["plan", "old", "new", "newer"], known: ["plan", "old"] }, findSecrets)).toBe(
      "Disk full\nnew\nnewer",
    );
    expect(textToEmbed({ name: undefined, lines: ["plan", "old"], known: [] }, findSecrets)).toBe("plan\nold");
  });

  it("is all lines when none is new, and never empty", () => {
    expect(textToEmbed({ name: "Name", lines: ["Name", "old"], known: ["Name", "old"] }, findSecrets)).toBe("Name\nold");
    expect(textToEmbed({ name: undefined, lines: [], known: [] }, findSecrets)).toBe("(empty)");
    expect(cleanText("  ", findSecrets)).toBe("(empty)");
  });

  it("contains no secret, not even a part of one", () => {
    for (const before of [0, EMBEDDED_CHARACTERS - 20, EMBEDDED_CHARACTERS - 1]) {
      const text = textToEmbed({ name: undefined, lines: [`${"word ".repeat(before / 5)}${TOKEN}`], known: [] }, findSecrets);
      expect(text).not.toContain("ghp_");
    }
  });

  it("fits a model and ends with a whole character", () => {
    const text = textToEmbed({ name: undefined, lines: [`a${"😀".repeat(EMBEDDED_CHARACTERS)}`], known: [] }, findSecrets);
    expect(text.length).toBe(EMBEDDED_CHARACTERS);
    expect(text.isWellFormed()).toBe(true);
  });
});
