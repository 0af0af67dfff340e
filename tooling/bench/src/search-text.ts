import type { Context } from "@workrail/core";
import { Random } from "./random.ts";

const WORDS = 30_000;
const SYLLABLES = ["ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "zu", "da", "fe", "go", "hi", "ju", "pa"];
/** Most notes in a context. */
const HELD = 10;

/** Cumulative frequency of words: as in natural texts, the n-th word has a frequency of about 1/n. */
const UP_TO = Float64Array.from({ length: WORDS }, (_, index) => 1 / (index + 5));
for (let index = 1; index < WORDS; index++) UP_TO[index] = (UP_TO[index] as number) + (UP_TO[index - 1] as number);

/** Returns a word with its natural frequency. */
export function someWord(random: Random): string {
  const wanted = random.next() * (UP_TO.at(-1) as number);
  let [from, to] = [0, WORDS - 1];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((UP_TO[middle] as number) < wanted) from = middle + 1;
    else to = middle;
  }
  return wordOf(from);
}

/** Returns the text that a checkpoint adds to its session. */
export function noteOf(session: number, step: number): string {
  const random = new Random(session * 1_009 + step);
  return Array.from({ length: random.whole(15, 45) }, () => someWord(random)).join(" ");
}

/** Returns a context of the newest notes. */
export function contextOfNotes(session: number, step: number): Context {
  const first = Math.max(0, step - HELD + 1);
  return { step, notes: Array.from({ length: step - first + 1 }, (_, index) => noteOf(session, first + index)) };
}

function wordOf(index: number): string {
  let word = "";
  for (let rest = index; ; rest = Math.floor(rest / SYLLABLES.length) - 1) {
    word += SYLLABLES[rest % SYLLABLES.length];
    // An ending that no stemmer removes.
    if (rest < SYLLABLES.length) return `${word}n`;
  }
}
