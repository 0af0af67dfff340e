import type { LoadCheckpointResult } from "@workrail/runtime";
import { printWarning } from "./print.ts";

/** Says beside the data that it is not of the session's newest checkpoint, and why. */
export function noteFallback(loadedId: string, fellBackFrom: LoadCheckpointResult["fellBackFrom"], json: boolean): void {
  if (fellBackFrom === undefined) return;
  printWarning(
    "newer checkpoints of the session cannot be read; this is the newest that can",
    { checkpointId: loadedId, fellBackFrom },
    json,
  );
}
