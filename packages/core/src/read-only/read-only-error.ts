import { WorkrailError } from "../errors.ts";

/** What whoever would change a store is told that is open for reading alone. */
export function readOnly(): WorkrailError {
  return new WorkrailError("READ_ONLY", "The store is open for reading only, so nothing was changed.", {
    hint: "To write, unset WORKRAIL_READ_ONLY, leave out --read-only, or run `workrail config set readOnly false`, whichever set it.",
  });
}

/** Stands for whatever would change a store that is open for reading alone. */
export async function refuse(): Promise<never> {
  throw readOnly();
}
