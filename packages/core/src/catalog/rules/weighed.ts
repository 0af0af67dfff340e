import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { CheckpointRow, SessionRow } from "../rows.ts";

/** Returns the session with one more live checkpoint. */
export function more(session: SessionRow, record: Pick<CheckpointRecord, "kind" | "blobBytes">): SessionRow {
  return weighed(session, 1, record);
}

/** Returns the session without these live checkpoints. */
export function less(session: SessionRow, rows: readonly CheckpointRow[]): SessionRow {
  return rows.reduce((sum, { record }) => weighed(sum, -1, record), session);
}

function weighed(session: SessionRow, sign: 1 | -1, { kind, blobBytes }: Pick<CheckpointRecord, "kind" | "blobBytes">): SessionRow {
  return {
    ...session,
    checkpointCount: session.checkpointCount + sign,
    asideCount: session.asideCount + (kind === "aside" ? sign : 0),
    totalBytes: session.totalBytes + sign * blobBytes,
  };
}

/** Returns the later of two times. */
export function later(one: Date, other: Date): Date {
  return other > one ? other : one;
}
