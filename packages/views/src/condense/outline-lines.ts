import { splitsPair } from "@workrail/core";
import type { Group, Unit } from "./outline.ts";
import { isNote } from "./reduce-text.ts";

/** Splits a text into lines, and long lines into sentences. */
export function outlineLines(text: string, group: Group): Unit[] {
  return linesOf(text).flatMap((line) => outlineLine(line, group));
}

export function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/u);
}

/** Shorter lines are not split. */
const LONG_LINE = 120;
/** Longer sentences are split at spaces. */
const LONG_SENTENCE = 400;

/** Returns a line as one unit, or its sentences when it is long. Empty lines and notes yield nothing. */
export function outlineLine(line: string, group: Group): Unit[] {
  const text = line.trim();
  if (text === "" || isNote(text)) return [];
  if (text.length <= LONG_LINE) return [{ text, group, joint: "\n" }];
  return sentencesOf(text).map((sentence, index) => ({ text: sentence, group, joint: index === 0 ? "\n" : " " }));
}

function sentencesOf(line: string): string[] {
  return line.split(END_OF_SENTENCE).flatMap((sentence) => (sentence.length > LONG_SENTENCE ? cutAtBlanks(sentence) : [sentence]));
}

const END_OF_SENTENCE = /(?<=[.!?;:][)"'*_\]]{0,3})\s+(?=["'(*_[]{0,3}[\p{Lu}\p{N}])/u;

function cutAtBlanks(text: string): string[] {
  const pieces: string[] = [];
  for (let begin = 0; begin < text.length;) {
    const most = begin + LONG_SENTENCE / 2;
    // Searches the slice only: in a text without spaces, `lastIndexOf` would scan back to the start each time.
    const blank = most < text.length ? text.slice(begin, most + 1).lastIndexOf(" ") : text.length - begin;
    let end = blank > 0 ? begin + blank : most;
    if (splitsPair(text, end)) end += 1;
    const piece = text.slice(begin, end).trim();
    if (piece !== "") pieces.push(piece);
    begin = end;
  }
  return pieces;
}
