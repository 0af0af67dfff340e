import { stem } from "./stem.ts";
import { WEIGHTS } from "./weights.ts";
import { isStopWord } from "./words.ts";

/** Rates texts against the focus with BM25, plus a share of their neighbours' scores. The best gets 1; all get 1 when none matches. */
export function relevanceOf(focus: string, texts: readonly string[]): number[] {
  const scores = scoresOf(focus, texts);
  const spread = scores.map((score, at) => Math.max(score, WEIGHTS.neighbour * Math.max(scores[at - 1] ?? 0, scores[at + 1] ?? 0)));
  const best = bestOf(spread);
  return best === 0 ? texts.map(() => 1) : spread.map((score) => score / best);
}

/** Works like `relevanceOf` for independent texts; all get 0 when none matches. */
export function relevanceOfEach(focus: string, texts: readonly string[]): number[] {
  const scores = scoresOf(focus, texts);
  const best = bestOf(scores);
  return scores.map((score) => (best === 0 ? 0 : score / best));
}

function bestOf(scores: readonly number[]): number {
  return scores.reduce((most, score) => Math.max(most, score), 0);
}

/** Usual constants of BM25: how fast repetitions stop counting, and how much long texts are penalised. */
const SATURATION = 1.2;
const LENGTH = 0.5;

function scoresOf(focus: string, given: readonly string[]): number[] {
  const wanted = new Set(wordsOf(focus));
  const texts = given.map((text) => wordsOf(text));
  const inTexts = new Map<string, number>();
  let words = 0;
  for (const text of texts) {
    words += text.length;
    for (const word of new Set(text)) if (wanted.has(word)) inTexts.set(word, (inTexts.get(word) ?? 0) + 1);
  }
  const usual = words / Math.max(1, texts.length);
  return texts.map((text) => {
    const norm = SATURATION * (1 - LENGTH + LENGTH * (text.length / Math.max(1, usual)));
    let score = 0;
    for (const [word, times] of timesOf(text, wanted)) {
      const among = inTexts.get(word) ?? 0;
      score += Math.log(1 + (texts.length - among + 0.5) / (among + 0.5)) * ((times * (SATURATION + 1)) / (times + norm));
    }
    return score;
  });
}

function timesOf(text: readonly string[], wanted: ReadonlySet<string>): Map<string, number> {
  const times = new Map<string, number>();
  for (const word of text) if (wanted.has(word)) times.set(word, (times.get(word) ?? 0) + 1);
  return times;
}

function wordsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !isStopWord(word)).map((word) => stem(word.toLowerCase()));
}
