import { isWorkrailError } from "@workrail/core";

/** True for the error of a checkpoint or a session that does not exist, or no longer. */
export function isMissing(error: unknown): boolean {
  return isWorkrailError(error) && (error.code === "CHECKPOINT_NOT_FOUND" || error.code === "SESSION_NOT_FOUND");
}

export function unlessMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
