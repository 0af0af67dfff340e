import { isBusy, retryWhileBusy } from "./retry-while-busy.ts";

/**
 * Moves the pages of a write-ahead log into its database and cuts the log off, waiting for those who read it.
 *
 * @param get runs a statement, and gives its row.
 * @returns `false` when somebody still reads it: what the log holds stays in it until the next who cuts it off.
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
