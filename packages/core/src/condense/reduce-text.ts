import { withoutBlobs } from "./without-blobs.ts";

/** What was said so far, line by line, so that it need not be said again. */
export class SaidBefore {
  readonly #lines: string[] = [];
  readonly #places = new Map<string, number[]>();

  /** How many of these lines, from the first on, follow each other among those said before. */
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

/** Lines such as `}` are everywhere: looking at a few of them is enough. */
const MOST_PLACES = 8;

/**
 * A text that says the same in fewer tokens: what is no text told by its length, repeated
 * lines counted, what was said before pointed to. Reducing it again changes nothing.
 */
export function reduceText(text: string, before: SaidBefore): string {
  if (text.length < SHORT_TEXT) return text;
  const lines = elideFrames(countRepeats(withoutGaps(thinNumbers(plainLines(withoutBlobs(text, SHORTEST_BLOB))))));
  return elideSaid(lines, before).join("\n");
}

/** Nothing is gained on these. */
const SHORT_TEXT = 40;
/** Characters; a hash or a key that somebody may look for is shorter. */
const SHORTEST_BLOB = 200;

/** Without colours, without what a progress bar wrote over, and without blanks at the ends. */
function plainLines(text: string): string[] {
  return text
    .replaceAll(ANSI, "")
    .replaceAll(BOLD, "$1")
    .split(/\r?\n/u)
    .map((line) => line.slice(line.lastIndexOf("\r") + 1).trimEnd());
}

/** With no two empty lines in a row. */
function withoutGaps(lines: readonly string[]): string[] {
  return lines.filter((line, index) => line !== "" || (index > 0 && lines[index - 1] !== ""));
}

/** Of Markdown, which says nothing that the words do not. Not `**arguments` in code. */
const BOLD = /(?<![\w(,*`])\*\*(?=[\p{L}\p{N}])([^*\n`]{1,200})(?<=[\p{L}\p{N}:.!?%)])\*\*(?![\w*])/gu;

// oxlint-disable-next-line no-control-regex -- these are control characters
const ANSI = /\u001B\[[0-9;?]{0,50}[A-Za-z]/gu;

/** Of the numbers in front of the lines of a listing the first and each tenth: the others follow. */
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

/** Not for one that would then seem to have another number. */
const NUMBERED = /^(\d{1,7}):(?!\d+:)/u;

/** The same line several times in a row; a note is no line of the text. */
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

/** Of a stack trace the first frames, where it happened, and the last, where it began. */
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

/** Of JavaScript, Java and their kin; Python's come in pairs of lines. */
const FRAME = /^\s+at \S|^\s*File ".*", line \d+/u;
const FIRST_FRAMES = 4;
const LAST_FRAMES = 2;

/** Lines that were said before in other texts or in this one, in the same order. */
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

/** Of a shorter one nobody could tell which it was. */
const LONG_LINE = 60;

/** Ends every run. */
const END = "\n";

/** Whether a line stands for others that were left out. */
export function isNote(line: string): boolean {
  return NOTE.test(line);
}

const NOTE = /^\[(?:as above|\d+ (?:lines as above|times more|frames))\]$/u;

/** Characters that a note must save to be worth the look it takes. */
const LEAST_SAVED = 12;

function unlessShorter(lines: readonly string[], note: string): readonly string[] {
  const length = lines.reduce((sum, line) => sum + line.length + 1, 0);
  return length >= note.length + LEAST_SAVED ? [note] : lines;
}

/** Without the number in front, as a file is listed anew after each edit and the lines below it have moved. */
function keyOf(line: string | undefined): string {
  return (line ?? "").replace(/^\s*\d+[:|\t]/u, "").trim();
}
