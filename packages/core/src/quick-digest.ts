/**
 * 16 hexadecimal digits that tell bytes apart, without cryptography, which a short-lived program would have to load. Not for bytes that
 * somebody may choose to deceive: two that agree can be made.
 */
export function quickDigest(bytes: Uint8Array): string {
  // FNV-1a in two lanes with other primes, each mixed at the end.
  let one = 0x811c9dc5;
  let other = 0x1b873593;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    one = Math.imul(one ^ byte, 0x01000193);
    other = Math.imul(other ^ byte, 0x85ebca6b);
  }
  return hexOf(mixed(one ^ bytes.length)) + hexOf(mixed(other));
}

/** Has each bit of a lane bear on all of them. */
function mixed(lane: number): number {
  const half = Math.imul(lane ^ (lane >>> 16), 0x7feb352d);
  const whole = Math.imul(half ^ (half >>> 15), 0x846ca68b);
  return whole ^ (whole >>> 16);
}

function hexOf(lane: number): string {
  return (lane >>> 0).toString(16).padStart(8, "0");
}
