import type { CountTokens } from "@workrail/core";
import { endOfPiece } from "./o200k-pieces.ts";

/**
 * The same counts in less time: a text is taken apart as o200k does it, and what the pieces count is remembered, as
 * texts consist of the same words.
 *
 * @param count counts as o200k does.
 */
export function countingPieces(count: CountTokens): CountTokens {
  const known = new Map<string, number>();
  const learn = (piece: string): number => {
    const copy = detached(piece);
    const tokens = count(copy);
    if (copy.length > LONGEST_KNOWN) return tokens;
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(copy, tokens);
    return tokens;
  };
  return (text) => {
    let sum = 0;
    for (let start = 0; start < text.length;) {
      const end = endOfPiece(text, start);
      // Each character of ASCII is a token.
      const isToken = end === start + 1 && text.charCodeAt(start) < 128;
      const piece = isToken ? "" : text.slice(start, end);
      sum += isToken ? 1 : (known.get(piece) ?? learn(piece));
      start = end;
    }
    return sum;
  };
}

/** Some five megabytes. */
const MOST_KNOWN = 65_536;
const LONGEST_KNOWN = 48;

/** V8 keeps the whole text for a part of it that is remembered, unless the part is short. */
function detached(part: string): string {
  return part.length < SHORTEST_PART ? part : Buffer.from(part, "utf16le").toString("utf16le");
}

const SHORTEST_PART = 13;
