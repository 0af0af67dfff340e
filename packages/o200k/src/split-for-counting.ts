/**
 * Splits a text so that no part has a run of like characters that takes long to count in one go. Each cut within a run may add one token;
 * ordinary words are never cut.
 */
export function* splitForCounting(text: string): Generator<string> {
  let begin = 0;
  let run = 0;
  let kind = DIGIT;
  for (let at = 0; at < text.length; at += 1) {
    const before = kind;
    kind = kindOf(text.charCodeAt(at));
    run = kind === DIGIT || !areAlike(before, kind) ? 0 : run + 1;
    if (run < LONGEST_RUN || isInPair(text, at)) continue;
    yield text.slice(begin, at);
    begin = at;
    run = 0;
  }
  yield text.slice(begin);
}

/** Longer than words of people, and than most identifiers. */
const LONGEST_RUN = 256;

/** The tokenizer splits digits into groups of at most three, so they never form a long run. */
const DIGIT = 0;
const LETTER = 1;
const SPACE = 2;
const SIGN = 3;
/** Beyond ASCII: may be any of the other kinds. */
const OTHER = 4;

function kindOf(code: number): number {
  if (code > 0x7e) return OTHER;
  if ((code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)) return LETTER;
  if (code <= 0x20) return SPACE;
  return code >= 0x30 && code <= 0x39 ? DIGIT : SIGN;
}

function areAlike(left: number, right: number): boolean {
  return left === right || left === OTHER || right === OTHER;
}

function isInPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
