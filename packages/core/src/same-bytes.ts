/** Compares bytes. Missing bytes equal none. */
export function isSameBytes(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return one?.length === other.length && other.every((byte, index) => byte === one[index]);
}
