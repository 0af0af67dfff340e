import type { SelectErasures, SelectRemovals } from "./reads.ts";
import type { ErasureRow, RemovalRow } from "./rows.ts";

/** True when a removal meets the conditions that its row alone can tell. */
export function isRemovalWanted(row: RemovalRow, { blobs, sessionId, isDone }: SelectRemovals): boolean {
  return (
    (blobs === undefined || blobs.includes(row.blob)) &&
    (sessionId === undefined || row.sessionId === sessionId) &&
    (isDone === undefined || !row.isDone)
  );
}

/** True when an erasure meets the conditions. */
export function isErasureWanted(row: ErasureRow, { blobs, sessionId, checkpointId }: SelectErasures): boolean {
  return (
    (blobs === undefined || blobs.includes(row.blob)) &&
    (sessionId === undefined || row.sessionId === sessionId) &&
    (checkpointId === undefined || row.checkpointId === checkpointId)
  );
}
