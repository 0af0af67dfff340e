import { hasCode } from "./error-codes.ts";

const ATTEMPTS = 14;
const PAUSE_MS = 5;

/**
 * Runs a file operation with retries on Windows. A virus scanner, an indexer or a backup may hold a file there for a moment, so that
 * renaming, removing or opening it fails: retries for half a second in total.
 */
export function patiently<T>(work: () => T): T {
  for (let attempt = 1; ; attempt++) {
    try {
      return work();
    } catch (error) {
      if (process.platform !== "win32" || attempt === ATTEMPTS || !hasCode(error, "EPERM", "EBUSY", "EACCES")) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, attempt * PAUSE_MS);
    }
  }
}
