/** Rate limit. */
export interface Rate {
  readonly perMinute: number;
  /** Most calls in a row after a rest. */
  readonly burst: number;
}

const MINUTE_MS = 60_000;

/** Token bucket: holds up to `burst` tokens and refills at `perMinute`. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #at: number;

  /** @param now milliseconds of a monotonic clock, the same one in all calls. */
  constructor(rate: Rate, now: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#at = now;
  }

  /**
   * Takes a token.
   *
   * @returns 0, or the milliseconds until a token is available; then none was taken.
   */
  take(now: number): number {
    this.#fill(now);
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return 0;
    }
    return Math.ceil(((1 - this.#tokens) * MINUTE_MS) / this.#rate.perMinute);
  }

  /** True when the bucket is full, so that its state can be forgotten. */
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
