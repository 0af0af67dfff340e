import { isWorkrailError, type Log } from "@workrail/core";
import type { FileSystem } from "./file-system.ts";
import { ReserveFile } from "./reserve-file.ts";

/** Reasons of `STORAGE_UNAVAILABLE` that more free space would solve. */
const NO_ROOM = new Set<unknown>(["disk-full", "quota"]);

/**
 * Opens a store. When that fails for lack of space, releases the reserve and tries again: a store that cannot be opened could be neither
 * read nor cleaned up. The code that manages disk space recreates the reserve.
 *
 * @param open rejects with translated errors.
 * @throws errors of `open`.
 */
export async function givingUpReserve<T>(
  { dataDir, fs, log }: { readonly dataDir: string; readonly fs: FileSystem; readonly log: Log },
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!isWorkrailError(error) || !NO_ROOM.has(error.details["reason"])) throw error;
    // 0 when another process released it first; the space is free in both cases.
    const bytes = await new ReserveFile(dataDir, fs).release();
    log.warn("the store could not be opened for want of room, and gives up its reserve", { path: dataDir, bytes });
    return open();
  }
}
