/*
 * Before it looks tokens up, o200k takes a text apart by this expression; no token reaches over the end of a match:
 *
 *     [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+('s|'t|'re|'ve|'m|'ll|'d)?
 *     | [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*('s|'t|'re|'ve|'m|'ll|'d)?
 *     | \p{N}{1,3}
 *     | ?[^\s\p{L}\p{N}]+[\r\n/]*
 *     | \s*[\r\n]+
 *     | \s+(?!\S)
 *     | \s+
 *
 * Within ASCII the same is found here by looking at each character once, several times as fast as the expression does.
 */

const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const BLANK = 4;
const LINE_END = 5;
const SIGN = 6;
/** Beyond ASCII: may be any of the others. */
const FOREIGN = 7;
const END = 8;

const KINDS = Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)));

function kindOf(character: string): number {
  if (/[a-z]/u.test(character)) return LOWER;
  if (/[A-Z]/u.test(character)) return UPPER;
  if (/[0-9]/u.test(character)) return DIGIT;
  if (/[\r\n]/u.test(character)) return LINE_END;
  return /\s/u.test(character) ? BLANK : SIGN;
}

/**
 * Where the piece of a text ends that begins at `start`. Where it cannot be told because of what is beyond ASCII, this is
 * the end of several pieces.
 *
 * @param start where another piece ended, or 0.
 */
export function endOfPiece(text: string, start: number): number {
  const end = endWithinAscii(text, start);
  return end === UNTOLD ? endOfForeign(text, start) : end;
}

const UNTOLD = -1;

function endWithinAscii(text: string, start: number): number {
  const first = kindAt(text, start);
  if (first === LOWER || first === UPPER) return endOfWord(text, start);
  if (first === FOREIGN) return UNTOLD;
  const next = kindAt(text, start + 1);
  if (first === DIGIT) return endOfDigits(text, start);
  if (first !== LINE_END) {
    if (next === LOWER || next === UPPER) return endOfWord(text, start + 1);
    if (next === FOREIGN) return UNTOLD;
    if (first === SIGN) return endOfSigns(text, start);
    if (next === SIGN && text.charCodeAt(start) === SPACE) return endOfSigns(text, start + 1);
  }
  return endOfBlanks(text, start);
}

/** Capitals, small letters, and what English cuts short behind them. */
function endOfWord(text: string, start: number): number {
  let end = start;
  while (kindAt(text, end) === UPPER) end += 1;
  while (kindAt(text, end) === LOWER) end += 1;
  if (kindAt(text, end) === FOREIGN) return UNTOLD;
  if (text.charCodeAt(end) !== APOSTROPHE) return end;
  const one = text.charAt(end + 1).toLowerCase();
  if (one === "s" || one === "t" || one === "m" || one === "d") return end + 2;
  const two = text.slice(end + 1, end + 3).toLowerCase();
  return two === "re" || two === "ve" || two === "ll" ? end + 3 : end;
}

function endOfDigits(text: string, start: number): number {
  let end = start + 1;
  while (end < start + 3 && kindAt(text, end) === DIGIT) end += 1;
  return end < start + 3 && kindAt(text, end) === FOREIGN ? UNTOLD : end;
}

function endOfSigns(text: string, start: number): number {
  let end = start;
  while (kindAt(text, end) === SIGN) end += 1;
  if (kindAt(text, end) === FOREIGN) return UNTOLD;
  while (kindAt(text, end) === LINE_END || text.charCodeAt(end) === SLASH) end += 1;
  return end;
}

/** Up to the last line end, or all but the last blank, which belongs to what follows. */
function endOfBlanks(text: string, start: number): number {
  let end = start;
  let lastLine = UNTOLD;
  for (let kind = kindAt(text, end); kind === BLANK || kind === LINE_END; kind = kindAt(text, end)) {
    end += 1;
    if (kind === LINE_END) lastLine = end;
  }
  const after = kindAt(text, end);
  if (after === FOREIGN) return UNTOLD;
  if (lastLine !== UNTOLD) return lastLine;
  return after === END || end === start + 1 ? end : end - 1;
}

/** Behind the next letter of ASCII that is followed by something else of ASCII, as every piece with a letter ends there. */
function endOfForeign(text: string, start: number): number {
  for (let end = start + 1; end < text.length; end++) {
    const before = kindAt(text, end - 1);
    if (before !== LOWER && before !== UPPER) continue;
    const kind = kindAt(text, end);
    if (kind !== LOWER && kind !== UPPER && kind !== FOREIGN && text.charCodeAt(end) !== APOSTROPHE) return end;
  }
  return text.length;
}

function kindAt(text: string, at: number): number {
  if (at >= text.length) return END;
  const code = text.charCodeAt(at);
  return code < 128 ? (KINDS[code] as number) : FOREIGN;
}

const APOSTROPHE = 0x27;
const SLASH = 0x2f;
const SPACE = 0x20;
