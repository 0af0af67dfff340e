import { bucketOf, BUCKETS } from "../src/token-table.ts";

/** Makes the file of tokens in the order of their ranks. */
export function tableFile(tokens: readonly Uint8Array[]): Uint8Array {
  const placed = tokens.map((bytes, rank) => ({ bytes, rank, bucket: bucketOf(bytes, 0, bytes.length) }));
  const sorted = placed.toSorted((one, other) => one.bucket - other.bucket || one.rank - other.rank);
  const counts = new Uint8Array(BUCKETS);
  for (const { bucket } of sorted) counts[bucket] = (counts[bucket] as number) + 1;
  const ranks = sorted.flatMap(({ rank }) => [rank & 0xff, (rank >>> 8) & 0xff, rank >>> 16]);
  const parts = [counts, Uint8Array.from(sorted, ({ bytes }) => bytes.length), Uint8Array.from(ranks), ...sorted.map(({ bytes }) => bytes)];
  const file = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    file.set(part, at);
    at += part.length;
  }
  return file;
}
