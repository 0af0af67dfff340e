import { WorkrailError } from "@workrail/core";
import type { Rate } from "./token-bucket.ts";
import { TokenBucket } from "./token-bucket.ts";

/** Number of buckets above which full ones are forgotten. */
const MOST_REMEMBERED = 1_000;

/** Limits the rate of saves for each project, so that an agent in a loop does not fill the store. Counts within this process only. */
export class SaveLimiter {
  readonly #rate: Rate;
  readonly #now: () => number;
  readonly #buckets = new Map<string, TokenBucket>();

  /** @param now milliseconds of a monotonic clock. */
  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
  }

  /** @throws RATE_LIMITED with `retryAfterMs`, the time until the project may save again. */
  admit(project: string): void {
    const now = this.#now();
    const bucket = this.#buckets.get(project) ?? new TokenBucket(this.#rate, now);
    if (this.#buckets.size >= MOST_REMEMBERED) this.#forgetFull(now);
    this.#buckets.set(project, bucket);
    const retryAfterMs = bucket.take(now);
    if (retryAfterMs === 0) return;
    const { perMinute, burst } = this.#rate;
    const seconds = Math.ceil(retryAfterMs / 1_000);
    throw new WorkrailError("RATE_LIMITED", `The project may save ${perMinute} checkpoints a minute, and ${burst} in a row.`, {
      details: { perMinute, burst, retryAfterMs },
      hint: `Save again in ${seconds} s, and put more into one checkpoint.`,
    });
  }

  #forgetFull(now: number): void {
    for (const [project, bucket] of this.#buckets) if (bucket.isFull(now)) this.#buckets.delete(project);
  }
}
