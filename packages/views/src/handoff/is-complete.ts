import { isJsonObject, type JsonValue } from "@workrail/core";
import { plain } from "./read/plain.ts";

/** A word, or a sign that is not a space. */
const PIECE = /[\p{L}\p{M}\p{N}]+|\S/gu;

/**
 * True when a rewritten value, such as a list of objects as a table, still has each word of each saved value and each key. Only quotes,
 * braces and repeated keys are gone. A text whose lines or spaces may matter has to be there unchanged.
 */
export function isComplete(saved: JsonValue, shown: JsonValue): boolean {
  const texts = new Set(leavesOf(shown));
  const left = new Map<string, number>();
  for (const piece of piecesOf(leavesOf(shown))) left.set(piece, (left.get(piece) ?? 0) + 1);
  const known = new Set([...left.keys(), ...piecesOf(keysOf(shown))]);
  for (const leaf of leavesOf(saved)) {
    if (plain(leaf) !== leaf && !texts.has(leaf)) return false;
    for (const piece of piecesOf([leaf])) {
      const count = left.get(piece) ?? 0;
      if (count === 0) return false;
      left.set(piece, count - 1);
    }
  }
  return [...piecesOf(new Set(keysOf(saved)))].every((piece) => known.has(piece));
}

function* piecesOf(texts: Iterable<string>): Generator<string> {
  for (const text of texts) for (const [piece] of text.matchAll(PIECE)) yield piece;
}

/** Yields texts, and other values as JSON. */
function* leavesOf(value: JsonValue): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value !== "object" || value === null) yield JSON.stringify(value);
  else for (const member of Object.values<JsonValue>(value)) yield* leavesOf(member);
}

function* keysOf(value: JsonValue): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, member] of Object.entries<JsonValue>(value)) {
    if (isJsonObject(value)) yield key;
    yield* keysOf(member);
  }
}
