import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../storage-conformance/test/any-character.ts";
import { splitForCounting } from "./split-for-counting.ts";

describe("splitForCounting", () => {
  it("keeps every character, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 2_000 }), (text) => {
        expect([...splitForCounting(text)].join("")).toBe(text);
      }),
    );
  });

  it("splits no character", () => {
    const pieces = [...splitForCounting("😀".repeat(2_000))];
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
  });
});
