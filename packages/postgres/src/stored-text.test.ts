import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { restoredText, storedText } from "./stored-text.ts";

describe("a stored text", () => {
  it("is restored as it was, and has nothing that the database refuses", () => {
    const unit = fc.oneof(fc.nat({ max: 0xffff }), fc.constantFrom(0, 0xe000, 0xd800, 0xdc00, 0x30));
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 20 }), (units) => {
        const text = String.fromCharCode(...units);
        const stored = storedText(text);
        expect(stored.isWellFormed() && !stored.includes("\0")).toBe(true);
        expect(restoredText(stored)).toBe(text);
      }),
    );
  });

  it("is the text itself where the database can hold it", () => {
    for (const text of ["", "plain", "ä 😀 \u0001"]) expect(storedText(text)).toBe(text);
  });
});
