import * as fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { countingPieces } from "./count-pieces.ts";
import { endOfPiece, expressionOfPieces } from "./pieces.ts";
import { anyCharacter } from "../../storage-conformance/test/any-character.ts";
import { runsOf } from "../../storage-conformance/test/long-form.ts";

type Count = (text: string) => number;

const exact: Count = (text) => countTokens(text, { disallowedSpecial: new Set() });

const WORDS = ["the", "Plan", "JSON", "userGoal", "don't", "WE'LL", "it'S", "x", "1", "2026", "12345"];
const SIGNS = [" ", "  ", "\n", "\r\n", " \n ", "\t", "\v", '"', '":', "{", "//", ");\n", "/\n/", "'", "'s", "-", "\u0000"];
const FOREIGN = ["é", "naïve", "…", "“", "”", " ", "日本語", "🙂", "²", "e\u0301", "Ж", "ǅ", "\u2028", "\uD800"];
const mixed = (parts: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...parts), { maxLength: 60 }).map((chosen) => chosen.join(""));

function counting(count: Count): Count {
  const stepsOf = countingPieces(count);
  return (text) => {
    const steps = stepsOf(text);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  };
}

const PIECES = expressionOfPieces();

/** Returns the ends of pieces by the expression of the encoding. */
function endsOf(text: string): number[] {
  return [...text.matchAll(PIECES)].map((match) => match.index + match[0].length);
}

function endsFound(text: string): number[] {
  const ends: number[] = [];
  for (let end = 0; end < text.length;) ends.push((end = endOfPiece(text, end)));
  return ends;
}

describe("splitting a text as o200k does", () => {
  it("ends each ASCII piece where the o200k expression does", () => {
    fc.assert(
      fc.property(fc.oneof(mixed([...WORDS, ...SIGNS]), fc.string({ unit: "binary-ascii", maxLength: 200 })), (text) => {
        expect(endsFound(text)).toEqual(endsOf(text));
      }),
      { numRuns: runsOf(2_000) },
    );
  });

  it("never splits within a piece, whatever the text", () => {
    fc.assert(
      fc.property(fc.oneof(mixed([...WORDS, ...SIGNS, ...FOREIGN]), fc.string({ unit: anyCharacter, maxLength: 200 })), (text) => {
        const ends = new Set(endsOf(text));
        expect(endsFound(text).filter((end) => !ends.has(end))).toEqual([]);
      }),
      { numRuns: runsOf(2_000) },
    );
  });
});

describe("counting pieces", () => {
  it("counts as the encoding does, with an empty and with a full cache", () => {
    const count = counting(exact);
    fc.assert(
      fc.property(fc.oneof(mixed([...WORDS, ...SIGNS, ...FOREIGN]), fc.string({ unit: "grapheme" })), (text) => {
        expect([count(text), count(text)]).toEqual([exact(text), exact(text)]);
      }),
      { numRuns: runsOf(1_000) },
    );
  });

  it("counts a long piece in parts, between which it yields and which split no character", () => {
    const parts: string[] = [];
    const steps = countingPieces((part) => parts.push(part))("😀".repeat(10_000));
    let yields = 0;
    while (steps.next().done !== true) yields += 1;
    expect(yields).toBeGreaterThan(3);
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.join("")).toBe("😀".repeat(10_000));
    expect(parts.every((part) => part.isWellFormed())).toBe(true);
  });

  it("counts words of up to 4,096 characters exactly", () => {
    const count = counting(exact);
    for (const word of ["x".repeat(4_096), "日本語".repeat(1_000)]) expect(count(word)).toBe(exact(word));
  });

  it("encodes each piece once", () => {
    const asked: string[] = [];
    const count = counting((piece) => asked.push(piece));
    count("plan a plan, plan b");
    expect(asked).toEqual(["plan", " a", " plan", " b"]);
  });
});
