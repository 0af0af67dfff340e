import { setTimeout as sleep } from "node:timers/promises";
import { elapsedMs } from "@workrail/blob-files";

/** Waiting times between attempts: short at first, then longer, never in step with others who wait. */
const SHORTEST_MS = 0.5;
const LONGEST_MS = 25;

/**
 * Runs a synchronous piece of SQLite work until it is not turned away by another's lock. Waiting happens outside of
 * SQLite, so that the event loop stays free, and jittered, which measured faster than SQLite's own waiting.
 *
 * @throws the driver's busy error once `waitMs` is over; anything else at once.
 */
export async function retryWhileBusy<T>(work: () => T, waitMs: number): Promise<T> {
  // Counted from when somebody is in the way: mostly nobody is, and the time need not be asked for.
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

/** Whether SQLite turned us away because somebody else holds a lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^SQLITE_(BUSY|LOCKED)/.test(String(error.code));
}
