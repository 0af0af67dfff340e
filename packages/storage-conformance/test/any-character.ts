import * as fc from "fast-check";

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

function characterOf(place: number): string {
  return String.fromCodePoint(place < FIRST_SURROGATE ? place : place + SURROGATES);
}

function placeOf(character: unknown): number {
  const code = typeof character === "string" ? character.codePointAt(0) : undefined;
  const place = code === undefined || code < FIRST_SURROGATE ? code : code - SURROGATES;
  if (place === undefined || characterOf(place) !== character) throw new Error("This is no character.");
  return place;
}

/**
 * Any character but surrogates: a unit of strings. The same as fast-check's `"binary"`, for which a process lists a million
 * characters first, in more than a second.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(0x10_ffff - SURROGATES).map(characterOf, placeOf);
