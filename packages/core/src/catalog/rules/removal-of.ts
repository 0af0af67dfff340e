import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { RemovalRow } from "../rows.ts";

/** Makes the row that remembers the blob of a removed checkpoint. */
export function removalOf({ id: checkpointId, sessionId, blob }: CheckpointRecord): RemovalRow {
  return { blob, checkpointId, sessionId, isDone: false };
}
