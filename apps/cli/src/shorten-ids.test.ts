import { describe, expect, it } from "vitest";
import { idShortener } from "./shorten-ids.ts";

describe("idShortener", () => {
  it("shows 8 characters, and more of ids that begin alike", () => {
    const ids = [
      "82b4a384-0a2f-4253-ac46-4bb1e41357b3",
      "f0cc8272-25df-4a33-8855-e33651694115",
      "f0cc8272-25e0-4a33-8855-e33651694115",
      "cp-1",
    ];
    const shorten = idShortener(ids, 80);
    expect(ids.map(shorten)).toEqual(["82b4a384", "f0cc8272-25d", "f0cc8272-25e", "cp-1"]);
  });

  it("shows an id whole that is a prefix of another", () => {
    const ids = ["before-refactoring", "before-refactoring-2"];
    expect(ids.map(idShortener(ids, 80))).toEqual(["before-refactoring", "before-refactoring-2"]);
  });

  it("keeps ids whole when the width is unknown", () => {
    const id = "82b4a384-0a2f-4253-ac46-4bb1e41357b3";
    expect(idShortener([id], Number.POSITIVE_INFINITY)(id)).toBe(id);
  });
});
