import { describe, expect, it } from "vitest";
import { layerReason } from "./layer-reason.ts";

describe("the reason for a layer", () => {
  it.each([
    ["code, markup or output", "USEFUL, because it is code, markup or output"],
    ['key word "goal"', 'USEFUL, because of the key word "goal"'],
    ['text begins with "TODO"', 'USEFUL, because its text begins with "TODO"'],
    ['holds "goal"', 'USEFUL, because it holds "goal"'],
    ["switch for present activity", "USEFUL, because it is a switch for present activity"],
    ["default", "USEFUL, by default"],
    [undefined, "USEFUL"],
  ])("is a sentence for %s", (why, sentence) => {
    expect(layerReason({ layer: "USEFUL", why, isPinned: false })).toBe(sentence);
  });

  it("is the pin of a pinned entry", () => {
    expect(layerReason({ layer: "CRITICAL", why: "default", isPinned: true })).toBe("CRITICAL, because it is pinned");
  });
});
