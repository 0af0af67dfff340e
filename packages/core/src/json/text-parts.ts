import { encodeUtf8Into } from "../platform.ts";

/**
 * From this size on the bytes of a context's JSON are digested, written and read in parts, with turns for other work in
 * between: done in one go they would hold it up for a tenth of a second and more, and be in memory several times.
 */
export const LARGE_BYTES: number = 16 * 1024 * 1024;
/** Takes a millisecond or so, whatever is done with it. */
const PART_BYTES: number = 1024 * 1024;
/** Short enough to be forgotten at once: the engine leaves longer texts in memory until it cleans up all of it. */
const SHORT_TEXT = 64 * 1024;
/** No character of a text has more of them in UTF-8. */
const MOST_BYTES = 3;
const NOTHING = new Uint8Array();

/** A text in parts of about so many characters, no pair of surrogates parted. */
export function* textParts(text: string, start = 0, end: number = text.length, size: number = PART_BYTES): Generator<string> {
  for (let from = start; from < end;) {
    let to = Math.min(end, from + size);
    if (to < end && isHighSurrogate(text.charCodeAt(to - 1))) to += 1;
    yield text.slice(from, to);
    from = to;
  }
}

/** Texts, one behind the other, in parts of which none is long: what is short is taken together. */
export function* evenParts(texts: Iterable<string>): Generator<string> {
  let short = "";
  for (const text of texts) {
    if (short.length + text.length <= SHORT_TEXT) {
      short += text;
      continue;
    }
    if (short !== "") yield short;
    short = "";
    if (text.length <= SHORT_TEXT) short = text;
    else yield* textParts(text, 0, text.length, SHORT_TEXT);
  }
  if (short !== "") yield short;
}

/**
 * The UTF-8 of texts, one behind the other, in parts of about a megabyte. An empty text stands for itself. Each part is to be
 * used before the next is asked for, which is written into the same memory: else a large one would be there several times.
 */
export function* utf8Parts(texts: Iterable<string>): Generator<Uint8Array> {
  const part = new Uint8Array(PART_BYTES);
  let length = 0;
  for (const text of texts) {
    if (text === "") yield NOTHING;
    for (const short of textParts(text, 0, text.length, SHORT_TEXT)) {
      if (part.length - length < short.length * MOST_BYTES) {
        yield part.subarray(0, length);
        length = 0;
      }
      length += encodeUtf8Into(short, part.subarray(length));
    }
  }
  if (length > 0) yield part.subarray(0, length);
}

/** The same bytes in parts. */
export function* byteParts(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += PART_BYTES) yield bytes.subarray(from, from + PART_BYTES);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
