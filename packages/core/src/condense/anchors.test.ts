import { expect, it } from "vitest";
import { termsOf } from "./anchors.ts";

it("finds what is one of a kind among the words", () => {
  const terms = termsOf("Please open src/main.ts, where max_retries is 3 and TimeDelta fails for HAT136 on 2026-01-31.");
  expect(terms.filter((term) => term.isAnchor).map((term) => term.key)).toEqual([
    "src/main.ts",
    "max_retries",
    "TimeDelta",
    "HAT136",
    "2026-01-31",
  ]);
  expect(terms.filter((term) => !term.isAnchor).map((term) => term.key)).toEqual(["open", "3", "fails"]);
});

it("takes a word for the same at the beginning of a sentence, and an identifier for another in other letters", () => {
  expect(termsOf("Retry. retry").map((term) => term.key)).toEqual(["retry"]);
  expect(termsOf("node_id nodeId").map((term) => term.key)).toEqual(["node_id", "nodeId"]);
});

it("holds what is longer than any name for worth little", () => {
  expect(termsOf("aB3".repeat(80))[0]?.worth).toBeLessThan(termsOf("word")[0]?.worth ?? 0);
});
