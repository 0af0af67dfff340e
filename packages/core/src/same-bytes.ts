/** Compares bytes. Missing bytes equal none. */
export function isSameBytes(one: Uint8Array | undefined, other: Uint8Array): boolean {
  if (one?.length !== other.length) return false;
  // Much faster than `every`.
  for (let index = 0; index < other.length; index++) if (one[index] !== other[index]) return false;
  return true;
}
