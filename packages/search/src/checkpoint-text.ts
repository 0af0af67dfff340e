import { type CheckpointRecord, type Context, isJsonObject, type JsonValue, searchableAttributes } from "@workrail/core";

/** Longer lines are split into sentences, so that changing one sentence does not count as changing the whole line. */
const LONG_LINE = 300;
const SENTENCE_END = /(?<=[.!?。！？])(?:\s+|(?<=[。！？]))/u;

/** Searchable labels of a checkpoint. */
export type Labels = Pick<CheckpointRecord, "name" | "tags" | "attributes">;

/**
 * Returns all searchable text of a checkpoint: its words, and numbers worth searching for. Texts are not cut.
 *
 * @param most stops after this many characters and omits the rest.
 */
export function searchableTextsOf(labels: Labels, context: Context, most: number = Number.POSITIVE_INFINITY): string[] {
  const collected = collectTexts(labels, context, most);
  if (!collected.isEnough) for (const number of numbersOf(context)) collected.add(number);
  return collected.texts;
}

/** Returns the words of a checkpoint: its name, tags and attributes; the texts of its context in order; each key once. */
export function textsOf(labels: Labels, context: Context): string[] {
  return collectTexts(labels, context, Number.POSITIVE_INFINITY).texts;
}

class CollectedTexts {
  readonly texts: string[] = [];
  readonly #most: number;
  #characters = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get isEnough(): boolean {
    return this.#characters > this.#most;
  }

  add(text: string): void {
    this.texts.push(text);
    this.#characters += text.length;
  }
}

function collectTexts({ name, tags, attributes }: Labels, context: Context, most: number): CollectedTexts {
  const collected = new CollectedTexts(most);
  for (const label of name === undefined ? tags : [name, ...tags]) collected.add(label);
  const keys = new Set<string>();
  addTexts(searchableAttributes(attributes), collected);
  addTexts(context, collected, keys);
  for (const key of keys) collected.add(key);
  return collected;
}

/** Splits texts into trimmed, non-empty lines. */
export function linesOf(texts: readonly string[]): string[] {
  const lines: string[] = [];
  for (const text of texts) {
    for (const line of text.split(/[\r\n]+/)) {
      if (line.length > LONG_LINE) for (const sentence of line.split(SENTENCE_END)) addLine(sentence, lines);
      else addLine(line, lines);
    }
  }
  return lines;
}

/** Weight of a name: its words count as if they occurred this many times. */
const NAME_COUNTS = 3;

/**
 * Returns the lines to index for a checkpoint: the lines that its predecessor lacks, each once, except lines of its name, which
 * are repeated.
 */
export function linesToIndex({ name }: Pick<Labels, "name">, lines: readonly string[], known: ReadonlySet<string>): string[] {
  const brought = new Set(lines.filter((line) => !known.has(line)));
  const named = linesOf(name === undefined ? [] : [name]).filter((line) => brought.has(line));
  return [...brought, ...Array.from({ length: NAME_COUNTS - 1 }, () => named).flat()];
}

/** Iterative, because a context may be deep. */
function addTexts(root: JsonValue, collected: CollectedTexts, keys?: Set<string>): void {
  const waiting: JsonValue[] = [root];
  for (let value = waiting.pop(); value !== undefined && !collected.isEnough; value = waiting.pop()) {
    if (typeof value === "string") collected.add(value);
    else if (Array.isArray(value)) for (let at = value.length - 1; at >= 0; at--) waiting.push(value[at] as JsonValue);
    else if (isJsonObject(value)) addMembers(value, waiting, keys);
  }
}

function addMembers(value: Readonly<Record<string, JsonValue>>, waiting: JsonValue[], keys: Set<string> | undefined): void {
  const members = Object.entries(value);
  for (const [key] of members) keys?.add(key);
  for (const [, member] of members.toReversed()) waiting.push(member);
}

/**
 * Numbers worth indexing, such as a port, an error code or an amount: 2 to 12 digits, or at most two decimals. Single digits, milliseconds
 * since 1970 and computed values are useless as search terms.
 */
const TELLING = /^-?(?:\d{2,12}|\d{1,9}\.\d{1,2})$/;
/** A longer list of numbers is a series or a vector. */
const MOST_IN_LIST = 16;

/** Returns each number once, after its key: `port 8443`. */
function numbersOf(context: Context): Set<string> {
  const numbers = new Set<string>();
  const waiting: [key: string, value: JsonValue][] = [["", context]];
  for (let member = waiting.pop(); member !== undefined; member = waiting.pop()) {
    const [key, value] = member;
    if (typeof value === "number" && TELLING.test(String(value))) numbers.add(`${key} ${value}`);
    else if (Array.isArray(value) && !isSeries(value)) for (const each of value) waiting.push([key, each]);
    else if (isJsonObject(value)) for (const each of Object.entries(value)) waiting.push(each);
  }
  return numbers;
}

function isSeries(list: readonly JsonValue[]): boolean {
  return list.length > MOST_IN_LIST && list.every((each) => typeof each === "number");
}

function addLine(line: string, lines: string[]): void {
  const trimmed = line.trim();
  if (trimmed !== "") lines.push(trimmed);
}
