/** Returns incompressible bytes, the same each time. */
export function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = 0x9e37_79b9;
  for (let index = 0; index < length; index++) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b_3c6d) + 0x6d2b_79f5;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

/** True when both exist and are equal. A matcher takes seconds for megabytes, and distinguishes a `Buffer` from a `Uint8Array`. */
export function same(left: Uint8Array | undefined, right: Uint8Array | undefined): boolean {
  return left !== undefined && right !== undefined && Buffer.compare(left, right) === 0;
}
