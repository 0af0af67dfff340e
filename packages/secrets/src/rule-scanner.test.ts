import { describe, expect, it } from "vitest";
import { KeywordFinder } from "./keyword-finder.ts";
import { findSecrets } from "./find-secrets.ts";
import { ruleScanner } from "./rule-scanner.ts";
import { plant } from "./testing/corpus.ts";
import { harmlessText } from "./testing/harmless-text.ts";
import { KNOWN_SAMPLES } from "./testing/known-samples.ts";
import { RandomText } from "./testing/random-text.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

describe("a keyword finder", () => {
  const found = (words: readonly string[], text: string, range = { from: 0, to: text.length }): string[] => {
    const all: string[] = [];
    new KeywordFinder(words).find(text, range, (word, start) => all.push(`${words[word]}@${start}`));
    return all;
  };

  it("finds words within words and adjacent words, in any case", () => {
    expect(found(["he", "she", "hers", "his"], "uSHERS his")).toEqual(["she@1", "he@2", "hers@2", "his@7"]);
    expect(found(["aa"], "aaaa")).toEqual(["aa@0", "aa@1", "aa@2"]);
    expect(found(["k-1"], "K-1 \u212A-1 é")).toEqual(["k-1@0"]);
  });

  it("finds words that start in the range and end after it", () => {
    expect(found(["abc"], "abcabcabc", { from: 1, to: 4 })).toEqual(["abc@3"]);
    expect(found(["abc"], "abcab")).toEqual(["abc@0"]);
  });
});

describe("the scanner of rules", () => {
  const secrets = plant(KNOWN_SAMPLES, 3).map(({ text }) => text);

  const places = secrets.length / Object.keys(KNOWN_SAMPLES).length;
  /** Each kind of secret in one kind of place, or in all. */
  const planted = secrets.filter((_, index) => IS_LONG || index % places === Math.floor(index / places) % places);

  it("takes no longer for repeated near-matches than for other texts", () => {
    const scanner = ruleScanner({ personalData: "all" });
    const slow: string[] = [];
    for (const secret of new Set([...planted, "-----BEGIN RSA PRIVATE KEY-----\n", "password=", "a://b:", "1 ", "a@", "eyJ."])) {
      for (const part of [secret, secret.slice(0, Math.ceil(secret.length / 2)), secret.slice(0, -1)]) {
        const text = part.repeat(Math.ceil(100_000 / part.length));
        const started = performance.now();
        const found = [...scanner.find([text])].flat();
        // A rule that restarts at each character would take minutes.
        if (performance.now() - started > 10_000 || found.length > text.length) slow.push(part);
      }
    }
    expect(slow).toEqual([]);
  });

  const text = secrets.map((each, index) => `${each}\n${harmlessText(new RandomText(index), 500)}`).join("\n");

  it.each([100, 4_096, 33_000, 100_000])("finds the same in parts of %d characters", (size) => {
    const parts = Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size));
    const batches = [...ruleScanner().find(parts)];
    expect(batches.length).toBeGreaterThanOrEqual(parts.length);
    expect(batches.flat()).toEqual(findSecrets(text));
  });

  it("finds the same in a long text, where it searches with a table", () => {
    const scanner = ruleScanner({ personalData: "all" });
    const short = [...scanner.find([text])].flat();
    const long = [...scanner.find(["a ".repeat(500_000), text])].flat();
    expect(long.map(({ start, end, ...found }) => ({ ...found, start: start - 1_000_000, end: end - 1_000_000 }))).toEqual(short);
  });

  it("skips excluded rules", () => {
    const [sample] = plant({ github: KNOWN_SAMPLES["github token"] as never }, 1);
    const given = sample?.text ?? "";
    expect([...ruleScanner().find([given])].flat().map(({ rule }) => rule)).toEqual(["github-token"]);
    expect([...ruleScanner({ except: ["github-token"] }).find([given])].flat()).toEqual([]);
  });
});
