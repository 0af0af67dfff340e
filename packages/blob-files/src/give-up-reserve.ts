import { isWorkrailError, type Log } from "@workrail/core";
import type { FileSystem } from "./file-system.ts";
import { ReserveFile } from "./reserve-file.ts";

/** Reasons of `STORAGE_UNAVAILABLE` that room is the answer to. */
const NO_ROOM = new Set<unknown>(["disk-full", "quota"]);

/**
 * Opens a store. One that cannot be opened for want of room could not even be read, nor could anything be removed from it: then its
 * reserve is given up, and it is opened once more. Whoever sees to the room on the disk makes the reserve anew.
 *
 * @param open fails with errors that are translated already.
 * @throws whatever `open` throws.
 */
export async function givingUpReserve<T>(
  { dataDir, fs, log }: { readonly dataDir: string; readonly fs: FileSystem; readonly log: Log },
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!isWorkrailError(error) || !NO_ROOM.has(error.details["reason"])) throw error;
    // None, where another process was faster: the room is there all the same.
    const bytes = new ReserveFile(dataDir, fs).release();
    log.warn("the store could not be opened for want of room, and gives up its reserve", { path: dataDir, bytes });
    return open();
  }
}
