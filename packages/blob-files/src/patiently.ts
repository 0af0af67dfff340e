import { hasCode } from "./error-codes.ts";

const ATTEMPTS = 14;
const PAUSE_MS = 5;

/**
 * Does something with a file. On Windows a virus scanner, an indexer or a backup may hold a file for a moment, and whoever
 * renames, removes or opens it then is refused: there it is tried again, for half a second in all.
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
