import { describe, expect, it } from "vitest";
import { porterStem } from "./porter-stem.ts";

/** Samples from the algorithm's own vocabulary and stems. */
const STEMS: Readonly<Record<string, string>> = {
  abilities: "abil",
  agreed: "agre",
  callousness: "callous",
  caresses: "caress",
  communication: "communic",
  connections: "connect",
  consign: "consign",
  consistency: "consist",
  cries: "cri",
  dying: "die",
  electricity: "electr",
  gas: "gas",
  gaps: "gap",
  generously: "generous",
  happily: "happili",
  hoped: "hope",
  hopping: "hop",
  kiwis: "kiwi",
  knackeries: "knackeri",
  knightly: "knight",
  news: "news",
  proceed: "proceed",
  rational: "ration",
  relational: "relat",
  sky: "sky",
  skies: "sky",
  succeeds: "succeed",
  ties: "tie",
  this: "this",
};

describe("porterStem", () => {
  it.each(Object.entries(STEMS))("stems %s to %s", (word, stem) => expect(porterStem(word)).toBe(stem));

  it("leaves tokens that are not English words unchanged", () => {
    for (const word of ["e3b0c442", "straße", "ns", "", "42"]) expect(porterStem(word)).toBe(word);
  });
});
