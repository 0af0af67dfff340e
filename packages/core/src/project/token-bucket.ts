/** How often something may be done. */
export interface Rate {
  readonly perMinute: number;
  /** How many times in a row, after a while of rest. */
  readonly burst: number;
}

const MINUTE_MS = 60_000;

/** A bucket of `burst` tokens that fills up again at `perMinute`. Each time takes one; who finds none is told how long to wait. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #at: number;

  /** @param now milliseconds of any clock that only goes forward, as in all calls. */
  constructor(rate: Rate, now: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#at = now;
  }

  /** Takes a token. @returns 0, or the milliseconds until there is one; then none was taken. */
  take(now: number): number {
    this.#fill(now);
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return 0;
    }
    return Math.ceil(((1 - this.#tokens) * MINUTE_MS) / this.#rate.perMinute);
  }

  /** Whether it is as it was in the beginning: nothing need be remembered of it. */
  isFull(now: number): boolean {
    this.#fill(now);
    return this.#tokens === this.#rate.burst;
  }

  #fill(now: number): void {
    const added = (Math.max(0, now - this.#at) * this.#rate.perMinute) / MINUTE_MS;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + added);
    this.#at = now;
  }
}
