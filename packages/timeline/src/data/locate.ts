import type { JsonValue } from "@workrail/core";
import { textOf } from "./changes.ts";
import { isConversation, saidIn } from "./conversation.ts";

/** The place in a checkpoint at which searched words stand. */
export interface Place {
  readonly in: "entry" | "conversation" | "metadata" | "name" | "tags";
  /** Key of the entry, or name of the field. */
  readonly key?: string | undefined;
  /** Character of the entry's text at which the first word begins, or number of the part of the conversation. */
  readonly at?: number | undefined;
  /** The words as they stand there. */
  readonly words: readonly string[];
}

/** A place, with the text around the words. */
export interface Located extends Place {
  readonly text: string;
}

/** A checkpoint that a search found. */
export interface Searched {
  readonly context: Readonly<Record<string, unknown>>;
  readonly name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Fields that its author added. */
  readonly attributes: readonly { readonly name: string; readonly text: string }[];
  readonly query: string;
  readonly snippet?: string | undefined;
}

/** Finds the place of a search hit: the entry with the text of the snippet, else the place with the most words. `undefined` without any. */
export function locate(searched: Searched): Located | undefined {
  const words = [...new Set(searched.query.toLowerCase().match(/[^\s"“”]{2,}/gu))];
  for (const pattern of [patternOf(words.map(exactly)), patternOf(words.map(alike))]) {
    const found = pattern === undefined ? undefined : locateBy(searched, pattern);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Match {
  readonly place: Located;
  readonly score: number;
}

/** Score of the text that the snippet is from: more than that of any number of words. */
const FROM_SNIPPET = 1_000;

function locateBy({ context, name, tags = [], attributes, snippet, query: _query }: Searched, pattern: RegExp): Located | undefined {
  // A snippet goes on with texts that have none of the words.
  const parts = partsOf(snippet).filter((part) => wordsIn(part, pattern).length > 0);
  const entries = Object.entries(context).map(([key, value]) => matchIn(key, value as JsonValue, { pattern, parts }));
  const labels: readonly (readonly [Omit<Place, "words">, string])[] = [
    [{ in: "name" }, name ?? ""],
    [{ in: "tags" }, tags.join(" ")],
    ...attributes.map((field) => [{ in: "metadata", key: field.name }, `${field.name} ${field.text}`] as const),
  ];
  const others = labels.map(([where, text]): Match => {
    const words = wordsIn(text, pattern);
    return { place: { ...where, words, text: around(text, text.search(pattern)) }, score: words.length };
  });
  // An entry comes before a label with as many words: every list shows the name anyway.
  const [best] = [...entries, ...others].toSorted((one, other) => other.score - one.score);
  return best === undefined || best.score === 0 ? undefined : best.place;
}

interface Wanted {
  readonly pattern: RegExp;
  /** Parts of the snippet. */
  readonly parts: readonly string[];
}

function matchIn(key: string, value: JsonValue, { pattern, parts }: Wanted): Match {
  const text = textOf(value);
  const words = wordsIn(text, pattern);
  const [own, inKey] = [placeOfAny(text, parts), wordsIn(key, pattern)];
  const score = words.length + inKey.length + (own === undefined ? 0 : FROM_SNIPPET);
  if (words.length === 0) return { place: { in: "entry", key, words: inKey, text: around(text, 0) }, score };
  const turn = key === "conversation" && isConversation(value) ? turnWith(value, { pattern, parts }) : undefined;
  if (turn !== undefined) {
    const said = saidIn(value)[turn]?.text ?? "";
    return { place: { in: "conversation", at: turn, words, text: around(said, said.search(pattern)) }, score };
  }
  const at = firstFrom(text, pattern, own ?? 0);
  return { place: { in: "entry", key, at, words, text: around(text, at) }, score };
}

/** Characters of the text before the words, and from them on. */
const BEFORE = 40;
const AFTER = 160;

/** Returns the text around a place in one line, with an ellipsis where it is cut. */
function around(text: string, at: number): string {
  const [start, end] = [Math.max(0, at - BEFORE), Math.max(0, at) + AFTER];
  const line = text.slice(start, end).toWellFormed().replaceAll(/\s+/gu, " ").trim();
  // Begins with a whole word.
  const whole = start > 0 ? line.replace(/^\S{0,20}\s/u, "") : line;
  return `${start > 0 ? "…" : ""}${whole}${end < text.length ? "…" : ""}`;
}

/** Returns the number of the part of a conversation that holds the snippet, or else a word. */
function turnWith(conversation: unknown, { pattern, parts }: Wanted): number | undefined {
  const said = saidIn(conversation);
  const isOf = (test: (text: string) => boolean): number => said.findIndex(({ text }) => test(text));
  const turn = [isOf((text) => placeOfAny(text, parts) !== undefined), isOf((text) => wordsIn(text, pattern).length > 0)];
  return turn.find((index) => index >= 0);
}

/** A snippet joins parts of a text by an ellipsis, and has one where a part is cut. */
function partsOf(snippet: string | undefined): readonly string[] {
  const parts = (snippet ?? "").split("…").map((part) => part.trim());
  return parts.filter((part) => part.length > 2);
}

/** Texts inside JSON are escaped. */
function placeOfAny(text: string, parts: readonly string[]): number | undefined {
  for (const part of parts) {
    const at = [part, JSON.stringify(part).slice(1, -1)].map((each) => text.indexOf(each)).find((index) => index >= 0);
    if (at !== undefined) return at;
  }
  return undefined;
}

function firstFrom(text: string, pattern: RegExp, from: number): number {
  const after = text.slice(from).search(pattern);
  return after < 0 ? text.search(pattern) : from + after;
}

const MOST_WORDS = 20;
/** Matches looked at in one text. */
const MOST_MATCHES = 2_000;

function wordsIn(text: string, pattern: RegExp): readonly string[] {
  const found = new Set<string>();
  let matches = 0;
  for (const [word] of text.matchAll(pattern)) {
    found.add(word.toLowerCase());
    matches += 1;
    if (matches === MOST_MATCHES || found.size === MOST_WORDS) break;
  }
  return [...found];
}

function patternOf(words: readonly string[]): RegExp | undefined {
  return words.length === 0 ? undefined : new RegExp(words.toSorted((one, other) => other.length - one.length).join("|"), "giu");
}

/** A word of Latin letters begins where no letter stands before it. */
const BEGINNING = "(?<![a-z0-9])";

function exactly(word: string): string {
  const escaped = word.replaceAll(/[.*+?^${}()|[\]\\/]/gu, String.raw`\$&`);
  return /^[a-z0-9]/u.test(word) ? `${BEGINNING}${escaped}` : escaped;
}

/** Letters at the end of a word that differ between its forms. */
const ENDING = 3;
const LEAST = 4;

/** Another form of the word, which has its beginning. */
function alike(word: string): string {
  if (!/^[a-z]+$/u.test(word) || word.length <= LEAST) return exactly(word);
  return `${BEGINNING}${word.slice(0, Math.max(LEAST, word.length - ENDING))}[a-z]*`;
}
