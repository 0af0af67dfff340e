import { isWorkrailError, type WorkrailError } from "@workrail/core";

/** How work was refused: with an error that a caller can understand, and not the system's own; `undefined` when it was done. */
export async function refusalOf(work: Promise<unknown>): Promise<WorkrailError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (isWorkrailError(error) && error.code === "STORAGE_UNAVAILABLE") return error;
    throw error;
  }
}
