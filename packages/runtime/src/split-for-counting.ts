/**
 * A text in pieces whose tokens add up to its own, so that long ones are counted bit by bit.
 *
 * Encodings split a text into words before they look tokens up, so a cut between a letter and what is not one changes
 * nothing. The exception are runs without any such place, where each cut may cost a token too many: the time that a
 * tokenizer takes for one grows with the square of its length, so those are cut all the same.
 *
 * @param most characters of a piece, roughly.
 */
export function* splitForCounting(text: string, most: number): Generator<string> {
  let begin = 0;
  let run = 0;
  let kind = DIGIT;
  for (let at = 0; at < text.length; at += 1) {
    const before = kind;
    kind = kindOf(text.charCodeAt(at));
    run = kind === DIGIT || !areAlike(before, kind) ? 0 : run + 1;
    const isEndOfWord = before === LETTER && (kind === SPACE || kind === SIGN || kind === DIGIT) && text[at] !== "'";
    if (!(at - begin >= most && isEndOfWord) && !(run >= LONGEST_RUN && !isInPair(text, at))) continue;
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
