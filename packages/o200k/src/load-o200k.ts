import { readFile } from "node:fs/promises";
import { type CountSteps, countingPieces } from "./count-pieces.ts";
import { countingPairs } from "./count-pairs.ts";
import { endOfPiece, expressionOfPieces } from "./pieces.ts";
import { TokenTable } from "./token-table.ts";

/** The encoding, with its table in memory. Text that looks like a special token, such as `<|endoftext|>`, counts as text. */
export interface O200k {
  /** Counts the tokens of a text. */
  readonly count: (text: string) => number;
  /** Counts in steps, and caches the counts of words. Equal to `count`, except for words of more than 4,096 characters, which may count some tokens more. */
  readonly steps: CountSteps;
}

const FILE = new URL("o200k.bin", import.meta.url);

/** Loads the table: 2 MB from a file beside this module. Loads again at each call. Rejects with the error of the file system. */
export async function loadO200k(): Promise<O200k> {
  const countPairs = countingPairs(new TokenTable(await readFile(FILE)));
  const encoder = new TextEncoder();
  let bytes = new Uint8Array(FIRST_LENGTH);
  // Takes milliseconds to make, and few texts need it.
  let expression: RegExp | undefined;
  const countPiece = (piece: string): number => {
    if (piece.length * MOST_BYTES > bytes.length) bytes = new Uint8Array(2 * piece.length * MOST_BYTES);
    return countPairs(bytes, encoder.encodeInto(piece, bytes).written);
  };
  const count = (text: string): number => {
    let sum = 0;
    for (let start = 0, end; start < text.length; start = end) {
      end = endOfPiece(text, start);
      const piece = text.slice(start, end);
      if (ASCII.test(piece)) sum += countPiece(piece);
      else for (const [each] of piece.matchAll((expression ??= expressionOfPieces()))) sum += countPiece(each);
    }
    return sum;
  };
  return { count, steps: countingPieces(count) };
}

const ASCII = /^[\0-\x7f]*$/u;
const FIRST_LENGTH = 1_024;
/** Bytes of UTF-8 for each unit of UTF-16. */
const MOST_BYTES = 3;
