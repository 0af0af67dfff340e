import { setTimeout as sleep } from "node:timers/promises";
import { elapsedMs } from "@workrail/blob-files";

/** Range of the pauses between attempts, which grow and are jittered so that waiting processes do not retry in step. */
const SHORTEST_MS = 0.5;
const LONGEST_MS = 25;

/**
 * Runs synchronous SQLite work, and repeats it while another connection's lock makes it busy. Waits outside of SQLite, so
 * that the event loop stays free, and with jitter, which measured faster than SQLite's own waiting.
 *
 * @throws the driver's busy error after `waitMs`; any other error at once.
 */
export async function retryWhileBusy<T>(work: () => T, waitMs: number): Promise<T> {
  // Counted from the first busy error: most calls are not busy and need not read the clock.
  let deadline: number | undefined;
  for (let pauseMs = SHORTEST_MS; ; pauseMs = Math.min(LONGEST_MS, pauseMs * 2)) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      deadline ??= elapsedMs() + waitMs;
      if (elapsedMs() > deadline) throw error;
    }
    await sleep(pauseMs * (0.5 + Math.random()));
  }
}

/** True for SQLite's error when another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^SQLITE_(BUSY|LOCKED)/.test(String(error.code));
}
