import { withoutBlobs } from "./without-blobs.ts";

/** Lines seen so far, so that repetitions can be replaced by notes. */
export class SaidBefore {
  readonly #lines: string[] = [];
  readonly #places = new Map<string, number[]>();

  /** Returns how many lines, starting at `from`, occurred in a row before. */
  run(lines: readonly string[], from: number): number {
    let longest = 0;
    for (const place of this.#places.get(lines[from] ?? "") ?? []) {
      let length = 1;
      while (from + length < lines.length && this.#lines[place + length] === lines[from + length]) length += 1;
      longest = Math.max(longest, length);
    }
    return longest;
  }

  add(line: string): void {
    const places = this.#places.get(line);
    if (places === undefined) this.#places.set(line, [this.#lines.length]);
    else if (places.length < MOST_PLACES) places.push(this.#lines.length);
    this.#lines.push(line);
  }
}

/** Lines such as `}` occur everywhere: comparing a few places is enough. */
const MOST_PLACES = 8;

/**
 * Shortens a text with nearly no loss: replaces binary data by its length, counts repeated lines, and points to earlier
 * occurrences. Idempotent.
 */
export function reduceText(text: string, before: SaidBefore): string {
  if (text.length < SHORT_TEXT) return text;
  const lines = elideFrames(countRepeats(withoutGaps(thinNumbers(plainLines(withoutBlobs(text, SHORTEST_BLOB))))));
  return elideSaid(lines, before).join("\n");
}

/** Shorter texts are not worth reducing. */
const SHORT_TEXT = 40;
/** In characters; hashes and keys worth searching for are shorter. */
const SHORTEST_BLOB = 200;

/** Removes colours, text overwritten by progress bars, and trailing spaces. */
function plainLines(text: string): string[] {
  return text
    .replaceAll(ANSI, "")
    .replaceAll(BOLD, "$1")
    .split(/\r?\n/u)
    .map((line) => line.slice(line.lastIndexOf("\r") + 1).trimEnd());
}

/** Merges consecutive empty lines. */
function withoutGaps(lines: readonly string[]): string[] {
  return lines.filter((line, index) => line !== "" || (index > 0 && lines[index - 1] !== ""));
}

/** Markdown bold, which can be dropped without loss. Excludes `**arguments` in code. */
const BOLD = /(?<![\w(,*`])\*\*(?=[\p{L}\p{N}])([^*\n`]{1,200})(?<=[\p{L}\p{N}:.!?%)])\*\*(?![\w*])/gu;

// oxlint-disable-next-line no-control-regex -- these are control characters
const ANSI = /\u001B\[[0-9;?]{0,50}[A-Za-z]/gu;

/** Drops line numbers of a listing, except the first and every tenth: the others follow from them. */
function thinNumbers(lines: readonly string[]): string[] {
  const numbers = lines.map((line) => Number(NUMBERED.exec(line)?.[1] ?? Number.NaN));
  let run = 0;
  return lines.map((line, index) => {
    const number = numbers[index] ?? Number.NaN;
    run = number === (numbers[index - 1] ?? Number.NaN) + 1 ? run + 1 : 0;
    const isAmongOthers = run >= 2 || (run === 1 && numbers[index + 1] === number + 1);
    return isAmongOthers && number % 10 !== 0 ? line.replace(NUMBERED, "") : line;
  });
}

/** Excludes lines that would seem to have another number then. */
const NUMBERED = /^(\d{1,7}):(?!\d+:)/u;

/** Replaces consecutive equal lines by a count. Notes are not lines of the text. */
function countRepeats(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    let end = at + 1;
    while (lines[end] === line && !isNote(line)) end += 1;
    kept.push(line);
    kept.push(...unlessShorter(lines.slice(at + 1, end), `[${end - at - 1} times more]`));
    at = end;
  }
  return kept;
}

/** Shortens a stack trace to its first frames (where it happened) and its last ones (where it began). */
function elideFrames(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length;) {
    let end = at;
    while (FRAME.test(lines[end] ?? "")) end += 1;
    const left = end - at - FIRST_FRAMES - LAST_FRAMES;
    if (left > 0) {
      const within = lines.slice(at + FIRST_FRAMES, end - LAST_FRAMES);
      kept.push(
        ...lines.slice(at, at + FIRST_FRAMES),
        ...unlessShorter(within, `[${left} frames]`),
        ...lines.slice(end - LAST_FRAMES, end),
      );
    } else {
      kept.push(...lines.slice(at, Math.max(end, at + 1)));
    }
    at = Math.max(end, at + 1);
  }
  return kept;
}

/** Frames of JavaScript, Java and similar languages; Python's take two lines. */
const FRAME = /^\s+at \S|^\s*File ".*", line \d+/u;
const FIRST_FRAMES = 4;
const LAST_FRAMES = 2;

/** Replaces lines that occurred before in the same order, in other texts or in this one. */
function elideSaid(lines: readonly string[], before: SaidBefore): readonly string[] {
  const keys = lines.map((line) => keyOf(line));
  const kept = lines.some((line) => isNote(line)) ? lines : withoutSaid(lines, keys, before);
  for (const key of [...keys, END]) before.add(key);
  return kept;
}

function withoutSaid(lines: readonly string[], keys: readonly string[], before: SaidBefore): string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length;) {
    const length = before.run(keys, at);
    const run = lines.slice(at, at + length);
    const isTold = length > 1 || (run[0]?.length ?? 0) >= LONG_LINE;
    const said = isTold ? unlessShorter(run, length === 1 ? "[as above]" : `[${length} lines as above]`) : run;
    kept.push(...(said === run ? lines.slice(at, at + 1) : said));
    at += said === run ? 1 : length;
  }
  return kept;
}

/** A note on a shorter line would be ambiguous. */
const LONG_LINE = 60;

/** Separator that ends every run. */
const END = "\n";

/** True when a line replaces omitted ones. */
export function isNote(line: string): boolean {
  return NOTE.test(line);
}

const NOTE = /^\[(?:as above|\d+ (?:lines as above|times more|frames))\]$/u;

/** Characters that a note must save to be worthwhile. */
const LEAST_SAVED = 12;

function unlessShorter(lines: readonly string[], note: string): readonly string[] {
  const length = lines.reduce((sum, line) => sum + line.length + 1, 0);
  return length >= note.length + LEAST_SAVED ? [note] : lines;
}

/** Returns a line without its number, because a file is listed again after each edit with shifted numbers. */
function keyOf(line: string | undefined): string {
  return (line ?? "").replace(/^\s*\d+[:|\t]/u, "").trim();
}
