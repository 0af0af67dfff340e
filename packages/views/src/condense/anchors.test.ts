import { expect, it } from "vitest";
import { termsOf } from "./anchors.ts";

it("termsOf recognises anchors among words", () => {
  const terms = termsOf("Please open src/main.ts, where max_retries is 3 and TimeDelta fails for HAT136 on 2026-01-31.");
  expect(terms.filter((term) => term.isAnchor).map((term) => term.key)).toEqual([
    "src/main.ts",
    "main.ts",
    "max_retries",
    "TimeDelta",
    "HAT136",
    "2026-01-31",
  ]);
  expect(terms.filter((term) => !term.isAnchor).map((term) => term.key)).toEqual(["open", "3", "fails"]);
});

it("termsOf ignores the case of words, but not of identifiers", () => {
  expect(termsOf("Retry. retry").map((term) => term.key)).toEqual(["retry"]);
  expect(termsOf("node_id nodeId").map((term) => term.key)).toEqual(["node_id", "nodeId"]);
});

it("termsOf rates a long run below a word", () => {
  expect(termsOf("aB3".repeat(80))[0]?.worth).toBeLessThan(termsOf("word")[0]?.worth ?? 0);
});

it("termsOf treats member names as words, except paths and dates", () => {
  const anchorsOf = (text: string, keys: readonly string[]): string[] =>
    termsOf(text, keys).flatMap(({ key, isAnchor }) => (isAnchor ? [key] : []));
  expect(anchorsOf("basic_economy HAT136, address1 a_b", ["basic_economy", "address1"])).toEqual(["HAT136", "a_b"]);
  expect(anchorsOf("src/main.ts 12, 2026-01-31 3", ["src/main.ts", "2026-01-31"])).toEqual(["src/main.ts", "main.ts", "2026-01-31"]);
});

it("termsOf adds the file name of a path, but not the host of a URL", () => {
  const keysOf = (text: string): string[] => termsOf(text).map(({ key }) => key);
  expect(keysOf("lib/fields.py:12")).toEqual(["lib/fields.py:12", "fields.py"]);
  expect(keysOf("https://example.org/src/a.test.ts#L4")).toEqual(["https://example.org/src/a.test.ts#L4", "a.test.ts"]);
  expect(keysOf("https://example.org docs/adr")).toEqual(["https://example.org", "docs/adr"]);
});
