/**
 * Generates the bulk of a working state: logs, listings, tool output. Deterministic by its seed, so that a state is the same on every
 * machine.
 */

/** Returns a generator of numbers from 0 up to 1, deterministic by its seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns `count` values, each made by `make` from its index and the random numbers of `seed`. */
export function many<T>(
  seed: number,
  count: number,
  make: (index: number, pick: <U>(from: readonly U[]) => U, whole: (below: number) => number) => T,
): T[] {
  const random = randomFrom(seed);
  const whole = (below: number): number => Math.floor(random() * below);
  const pick = <U>(from: readonly U[]): U => from[whole(from.length)] as U;
  return Array.from({ length: count }, (_, index) => make(index, pick, whole));
}
