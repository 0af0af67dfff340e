import { splitsPair } from "../model/characters.ts";

/** The web globals for text that every JavaScript runtime has. Neither the DOM nor the Node types are visible to core. */
declare const TextEncoder: new () => {
  encode(text: string): Uint8Array;
  encodeInto(text: string, into: Uint8Array): { readonly written: number };
};
declare const TextDecoder: new (label: "utf-8", options: { fatal: boolean; ignoreBOM: boolean }) => { decode(bytes: Uint8Array): string };

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Encodes a text as UTF-8. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Writes the UTF-8 bytes of a text into a buffer with enough room, and returns their number. */
export function encodeUtf8Into(text: string, into: Uint8Array): number {
  return encoder.encodeInto(text, into).written;
}

/** Decodes UTF-8; throws a `TypeError` when the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/**
 * Size from which the bytes of a context's JSON are digested, written and read in parts, yielding to other work in between. In
 * one go they would block other work for a tenth of a second or more, and be in memory several times.
 */
export const LARGE_BYTES: number = 16 * 1024 * 1024;
/** Size of a part. Processing one takes about a millisecond. */
const PART_BYTES: number = 1024 * 1024;
/**
 * Longest text that is quick to make and to free. V8 gives each object over 128 KB pages of its own, which takes longer than filling them, and
 * a scanner adds 33,000 characters of two bytes.
 */
export const SHORT_TEXT: number = 16 * 1024;
/** Most UTF-8 bytes per UTF-16 unit. */
const MOST_BYTES = 3;
const NOTHING = new Uint8Array();

/** Splits a text into parts of about `size` characters, never inside a surrogate pair. */
export function* textParts(text: string, size: number): Generator<string> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + size);
    if (splitsPair(text, to)) to += 1;
    yield text.slice(from, to);
    from = to;
  }
}

/** Regroups consecutive texts into parts that are neither long nor many: joins short ones, splits long ones. */
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
    else yield* textParts(text, SHORT_TEXT);
  }
  if (short !== "") yield short;
}

/**
 * Encodes consecutive texts as UTF-8 in parts of about a megabyte. An empty text yields an empty part. Use each part before
 * asking for the next one: all parts share one buffer, so that a large text is not in memory several times.
 */
export function* utf8Parts(texts: Iterable<string>): Generator<Uint8Array> {
  const part = new Uint8Array(PART_BYTES);
  let length = 0;
  for (const text of texts) {
    if (text === "") yield NOTHING;
    for (const short of textParts(text, SHORT_TEXT)) {
      if (part.length - length < short.length * MOST_BYTES) {
        yield part.subarray(0, length);
        length = 0;
      }
      length += encodeUtf8Into(short, part.subarray(length));
    }
  }
  if (length > 0) yield part.subarray(0, length);
}

/** Encodes consecutive texts as UTF-8. Joins bytes instead of texts, which is quicker: see `SHORT_TEXT`. */
export function utf8Of(texts: Iterable<string>): Uint8Array {
  const parts = Array.from(evenParts(texts), encodeUtf8);
  return parts.length === 1 ? (parts[0] as Uint8Array) : joinBytes(parts);
}

/** Concatenates parts. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

/** Splits bytes into parts. */
export function* byteParts(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += PART_BYTES) yield bytes.subarray(from, from + PART_BYTES);
}

/** Compares bytes. Missing bytes equal none. */
export function isSameBytes(one: Uint8Array | undefined, other: Uint8Array): boolean {
  if (one?.length !== other.length) return false;
  // Much faster than `every`.
  for (let index = 0; index < other.length; index++) if (one[index] !== other[index]) return false;
  return true;
}
