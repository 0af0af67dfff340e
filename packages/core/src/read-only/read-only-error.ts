import { WorkrailError } from "../errors.ts";

/** Returns the error for changing a read-only store. */
export function readOnly(): WorkrailError {
  return new WorkrailError("READ_ONLY", "The store is open for reading only, so nothing was changed.", {
    hint: "To write, unset WORKRAIL_READ_ONLY, leave out --read-only, or run `workrail config set readOnly false`, whichever set it.",
  });
}

/** Rejects: stands for every method that would change a read-only store. */
export async function refuse(): Promise<never> {
  throw readOnly();
}
