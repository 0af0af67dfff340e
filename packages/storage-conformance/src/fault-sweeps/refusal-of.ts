import { isWorkrailError, type WorkrailError } from "@workrail/core";

/** Returns the STORAGE_UNAVAILABLE error of refused work; `undefined` when the work was done. Throws any other error. */
export async function refusalOf(work: Promise<unknown>): Promise<WorkrailError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (isWorkrailError(error) && error.code === "STORAGE_UNAVAILABLE") return error;
    throw error;
  }
}
