import { setTimeout as waitFor } from "node:timers/promises";
import { isWorkrailError } from "@workrail/core";
import pRetry from "p-retry";

export interface Tries {
  /** Number of tries, including the first. */
  readonly tries: number;
  /** Approximate wait before the second try; it doubles before each further one. */
  readonly firstWaitMs: number;
  /** Time, as of `performance.now()`, after which no try begins. */
  readonly deadline: number;
  /** Ends a wait. */
  readonly signal: AbortSignal;
}

/**
 * Repeats an attempt that fails with `details.isPassing`, after a random wait, or as long as `details.retryAfterMs` asks for. Rejects
 * with the last failure, or with the signal's reason.
 */
export function retry<T>(attempt: () => Promise<T>, { tries, firstWaitMs, deadline, signal }: Tries): Promise<T> {
  return pRetry(attempt, {
    signal,
    retries: tries - 1,
    minTimeout: firstWaitMs,
    randomize: true,
    shouldRetry: async ({ error, retryDelay }) => {
      const details = isWorkrailError(error) ? error.details : {};
      if (details["isPassing"] !== true) return false;
      const longer = Math.max(0, Number(details["retryAfterMs"] ?? 0) - retryDelay);
      // Does not wait past the deadline.
      if (performance.now() + longer + retryDelay > deadline) return false;
      await waitFor(longer, undefined, { signal });
      return true;
    },
  });
}
