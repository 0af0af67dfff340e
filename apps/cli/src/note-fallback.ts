import { printWarning } from "./print.ts";

export interface PassedOver {
  readonly checkpointId: string;
  /** A sentence for people. */
  readonly reason: string;
}

/** Warns that the data is not from the session's newest checkpoint, and why. */
export function noteFallback(usedId: string, fellBackFrom: readonly PassedOver[] | undefined, json: boolean): void {
  if (fellBackFrom === undefined) return;
  printWarning(
    "newer checkpoints of the session cannot be read; this is the newest readable one",
    { checkpointId: usedId, fellBackFrom },
    json,
  );
}
