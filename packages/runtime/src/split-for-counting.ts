/**
 * A text in pieces that are no longer than a tokenizer can count in good time, which for a run of like characters grows
 * with the square of its length. Each cut within a run may cost a token too many; there are none in words of people.
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

/** Words of people are shorter, and so are most of programs. */
const LONGEST_RUN = 256;

/** They come in threes at most, and never make a long run. */
const DIGIT = 0;
const LETTER = 1;
const SPACE = 2;
const SIGN = 3;
/** Beyond ASCII: any of the others. */
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
