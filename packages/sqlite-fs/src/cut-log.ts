import { isBusy, retryWhileBusy } from "./retry-while-busy.ts";

/**
 * Moves the pages of a write-ahead log into its database and truncates the log. Waits for readers.
 *
 * @param get runs a statement and returns its row.
 * @returns `false` when a reader still uses the log after `waitMs`: the log keeps its content until the next truncation.
 */
export async function cutLog(get: (sql: string) => unknown, waitMs: number): Promise<boolean> {
  try {
    await retryWhileBusy(() => {
      const { busy } = get("PRAGMA wal_checkpoint(TRUNCATE)") as { readonly busy: number };
      if (busy !== 0) throw Object.assign(new Error("The log is being read."), { code: "SQLITE_BUSY" });
    }, waitMs);
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}
