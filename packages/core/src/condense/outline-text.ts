import { splitsPair } from "../view/cut-text.ts";
import { outlineData, parseData } from "./outline-data.ts";
import type { Group, Piece, Unit, Voice } from "./outline.ts";

/** Splits a text into lines, and long lines into sentences. */
export function outlineText(text: string, group: Group): Unit[] {
  const data = parseData(text);
  if (data !== undefined) return outlineData(data, group);
  return linesOf(text).flatMap((line) => outlineLine(line, group));
}

/** A piece for each paragraph, under the headings above it when they are wanted. */
export function outlineParagraphs(text: string, root: Group, how: { readonly headings: boolean; readonly voice: Voice }): Piece[] {
  const data = parseData(text);
  if (data !== undefined) return [{ units: outlineData(data, root), voice: how.voice }];
  const headings: { level: number; group: Group }[] = [];
  const pieces: Unit[][] = [[]];
  for (const line of linesOf(text)) {
    const heading = how.headings ? HEADING.exec(line) : null;
    if (heading !== null) {
      const level = heading[1]?.length ?? 1;
      while ((headings.at(-1)?.level ?? 0) >= level) headings.pop();
      headings.push({ level, group: { label: line.trim(), parent: headings.at(-1)?.group ?? root } });
    }
    if (heading !== null || line.trim() === "") pieces.push([]);
    if (heading === null) pieces.at(-1)?.push(...outlineLine(line, headings.at(-1)?.group ?? root));
  }
  return pieces.filter((units) => units.length > 0).map((units) => ({ units, voice: how.voice }));
}

const HEADING = /^(#{1,6})\s+\S/u;

function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/u);
}

/** Shorter ones are not worth taking apart. */
const LONG_LINE = 80;
/** Longer sentences are taken apart at some blank. */
const LONG_SENTENCE = 400;

function outlineLine(line: string, group: Group): Unit[] {
  const text = line.trim();
  if (text === "") return [];
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
    const blank = most < text.length ? text.lastIndexOf(" ", most) : text.length;
    let end = blank > begin ? blank : most;
    if (splitsPair(text, end)) end += 1;
    const piece = text.slice(begin, end).trim();
    if (piece !== "") pieces.push(piece);
    begin = end;
  }
  return pieces;
}
