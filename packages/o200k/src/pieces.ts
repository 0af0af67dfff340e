const ENDING = String.raw`(?:'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE]))?`;
const UPPERS = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`;
const LOWERS = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`;
const BEFORE = String.raw`[^\r\n\p{L}\p{N}]?`;
const REST = String.raw`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`;

/** Matches the pieces that o200k splits a text into before it looks tokens up: no token crosses the end of a match. */
export function expressionOfPieces(): RegExp {
  return new RegExp(`${BEFORE}${UPPERS}*${LOWERS}+${ENDING}|${BEFORE}${UPPERS}+${LOWERS}*${ENDING}|${REST}`, "gu");
}

// Within ASCII, the functions below find the same pieces by looking at each character once, several times as fast as the expression.

const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const BLANK = 4;
const LINE_END = 5;
const SIGN = 6;
/** Beyond ASCII: may be any of the other kinds. */
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
 * Returns the end of the piece that starts at `start`. Where characters beyond ASCII hide the end, returns the end of a run of several
 * pieces.
 *
 * @param start end of another piece, or 0.
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

/** Capitals, small letters, and an English contraction after them. */
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

/** Returns the end after the last line break, or before the last blank, which belongs to the next piece. */
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

/**
 * Returns the position after the next ASCII letter followed by an ASCII character that is not a letter: every piece with a letter ends
 * there.
 */
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
