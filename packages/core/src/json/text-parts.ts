import { encodeUtf8 } from "../platform.ts";

/**
 * From this size on the bytes of a context's JSON are digested, written and read in parts, with turns for other work in
 * between: done in one go they would hold it up for a tenth of a second and more, and be in memory several times.
 */
export const LARGE_BYTES: number = 16 * 1024 * 1024;
/** Takes a millisecond or so, whatever is done with it. */
const PART_BYTES: number = 1024 * 1024;
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

/** Texts, one behind the other, in parts of about a megabyte: long ones part by part, short ones together. */
export function* evenParts(texts: Iterable<string>): Generator<string> {
  let short = "";
  for (const text of texts) {
    short += text;
    if (short.length < PART_BYTES) continue;
    yield* textParts(short);
    short = "";
  }
  if (short !== "") yield short;
}

/** The UTF-8 of texts, one behind the other: long ones part by part, short ones together. An empty one stands for itself. */
export function* utf8Parts(texts: Iterable<string>): Generator<Uint8Array> {
  let short = "";
  for (const text of texts) {
    if (text === "") yield NOTHING;
    short += text;
    if (short.length < PART_BYTES) continue;
    for (const part of textParts(short)) yield encodeUtf8(part);
    short = "";
  }
  if (short !== "") yield encodeUtf8(short);
}

/** The same bytes in parts. */
export function* byteParts(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += PART_BYTES) yield bytes.subarray(from, from + PART_BYTES);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
