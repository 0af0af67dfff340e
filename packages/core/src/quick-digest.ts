/**
 * Digests bytes into 16 hexadecimal digits. It uses no cryptography, because a short-lived program would have to load it. Do not
 * use it against an attacker: collisions can be made.
 */
export function quickDigest(bytes: Uint8Array): string {
  // FNV-1a in two lanes with different primes; each lane is mixed at the end.
  let one = 0x811c9dc5;
  let other = 0x1b873593;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    one = Math.imul(one ^ byte, 0x01000193);
    other = Math.imul(other ^ byte, 0x85ebca6b);
  }
  return hexOf(mixed(one ^ bytes.length)) + hexOf(mixed(other));
}

/** Mixes a lane, so that each bit affects all bits. */
function mixed(lane: number): number {
  const half = Math.imul(lane ^ (lane >>> 16), 0x7feb352d);
  const whole = Math.imul(half ^ (half >>> 15), 0x846ca68b);
  return whole ^ (whole >>> 16);
}

function hexOf(lane: number): string {
  return (lane >>> 0).toString(16).padStart(8, "0");
}
