/**
 * What was said so far, so that it need not be said again. Lines count with a hash of all their text, so that a context
 * of megabytes takes megabytes and no more.
 */
export class SaidBefore {
  readonly #lines = new Set<string>();

  has(line: string): boolean {
    return this.#lines.has(line);
  }

  add(line: string): void {
    this.#lines.add(line);
  }
}

/**
 * A text that says the same in fewer tokens: what is no text told by its length, repeated
 * lines counted, what was said before pointed to. Reducing it again changes nothing.
 */
export function reduceText(text: string, before: SaidBefore): string {
  if (text.length < SHORT_TEXT) return text;
  const lines = elideFrames(countRepeats(plainLines(elideBlobs(text))));
  return elideSaid(lines, before).join("\n");
}

/** Nothing is gained on these. */
const SHORT_TEXT = 40;

/** Base64 and the like: long, without blanks, and nothing that a reader could use. */
function elideBlobs(text: string): string {
  return text.replaceAll(/(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/_-]{200,}={0,2}/gu, (blob) =>
    isBlob(blob) ? `[${blob.length} characters of base64]` : blob,
  );
}

/** Words and paths have neither digits, small and capital letters all mixed, nor do hex digits matter less. */
function isBlob(text: string): boolean {
  return /[a-z]/u.test(text) && /[A-Z]/u.test(text) && /[0-9]/u.test(text) && !/[/_-][A-Za-z]{2,20}[/_-][A-Za-z]{2,20}[/_-]/u.test(text);
}

/** Without colours, without what a progress bar wrote over, without blanks at the ends, and with no two empty lines. */
function plainLines(text: string): string[] {
  const lines = text
    .replaceAll(ANSI, "")
    .split(/\r?\n/u)
    .map((line) => line.slice(line.lastIndexOf("\r") + 1).trimEnd());
  return lines.filter((line, index) => line !== "" || (index > 0 && lines[index - 1] !== ""));
}

// eslint-disable-next-line no-control-regex -- these are control characters
const ANSI = /\u001B\[[0-9;?]*[A-Za-z]/gu;

/** The same line several times in a row. */
function countRepeats(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    let end = at + 1;
    while (lines[end] === line) end += 1;
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

/** Lines that were said before in other texts or in this one. */
function elideSaid(lines: readonly string[], before: SaidBefore): string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length;) {
    let end = at;
    while (end < lines.length && isSaid(lines[end], before)) end += 1;
    kept.push(...unlessShorter(lines.slice(at, end), end - at === 1 ? "[as above]" : `[${end - at} lines as above]`));
    if (end < lines.length) {
      before.add(keyOf(lines[end]));
      kept.push(lines[end] ?? "");
    }
    at = end + 1;
  }
  return kept;
}

/** A note says how much is gone, not what, so it says nothing a second time. */
function isSaid(line: string | undefined, before: SaidBefore): boolean {
  return before.has(keyOf(line)) && !NOTE.test(keyOf(line));
}

const NOTE = /^\[(?:as above|\d+ (?:lines as above|times more|frames))\]$/u;

/** Characters that a note must save to be worth the look it takes. */
const LEAST_SAVED = 24;

function unlessShorter(lines: readonly string[], note: string): readonly string[] {
  const length = lines.reduce((sum, line) => sum + line.length + 1, 0);
  return length >= note.length + LEAST_SAVED ? [note] : lines;
}

function keyOf(line: string | undefined): string {
  return (line ?? "").trim();
}
