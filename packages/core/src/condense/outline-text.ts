import { splitsPair } from "../view/cut-text.ts";
import { outlineData, parseData } from "./outline-data.ts";
import type { Group, Piece, Unit, Voice } from "./outline.ts";
import { isNote } from "./reduce-text.ts";

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
  const headings = new Headings(root);
  const pieces: Unit[][] = [[]];
  for (const line of linesOf(text)) {
    const isHeading = how.headings && headings.take(line);
    if (isHeading || line.trim() === "") pieces.push([]);
    if (!isHeading) pieces.at(-1)?.push(...outlineLine(line, headings.lowest));
  }
  return pieces.filter((units) => units.length > 0).map((units) => ({ units, voice: how.voice }));
}

/** The headings of Markdown that a line stands under. */
class Headings {
  readonly #root: Group;
  readonly #open: { readonly level: number; readonly group: Group }[] = [];

  constructor(root: Group) {
    this.#root = root;
  }

  get lowest(): Group {
    return this.#open.at(-1)?.group ?? this.#root;
  }

  /** Whether the line is one. */
  take(line: string): boolean {
    const level = /^(#{1,6})\s+\S/u.exec(line)?.[1]?.length;
    if (level === undefined) return false;
    while ((this.#open.at(-1)?.level ?? 0) >= level) this.#open.pop();
    this.#open.push({ level, group: { label: line.trim(), parent: this.lowest } });
    return true;
  }
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/u);
}

/** Shorter ones are not worth taking apart. */
const LONG_LINE = 120;
/** Longer sentences are taken apart at some blank. */
const LONG_SENTENCE = 400;

function outlineLine(line: string, group: Group): Unit[] {
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
    // Looked for between the two only, as a text without blanks would be read from its start each time.
    const blank = most < text.length ? text.slice(begin, most + 1).lastIndexOf(" ") : text.length - begin;
    let end = blank > 0 ? begin + blank : most;
    if (splitsPair(text, end)) end += 1;
    const piece = text.slice(begin, end).trim();
    if (piece !== "") pieces.push(piece);
    begin = end;
  }
  return pieces;
}
