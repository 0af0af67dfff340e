import type { CheckpointRecord } from "../model/checkpoint.ts";
import type { BlobRef, CheckpointId, SessionId } from "../model/ids.ts";
import type { Session } from "../model/session.ts";

export interface Edge {
  readonly dependent: CheckpointId;
  readonly base: CheckpointId;
}

/** Checkpoint, live or in the trash. */
export interface CheckpointRow {
  /** Place among the commits of all sessions. `undefined` in a new row: the adapter assigns the place. */
  readonly commit: number | undefined;
  readonly record: CheckpointRecord;
  /** Set while the checkpoint is in the trash. */
  readonly trashedAt: Date | undefined;
}

export interface SessionRow extends Pick<Session, "id" | "createdAt" | "lastAccessedAt" | "tags" | "pins" | "asideCount"> {
  readonly oldestLive: CheckpointId | null;
  /** The highest sequence ever assigned. */
  readonly lastSequence: number;
  /** Live checkpoints of every kind. */
  readonly checkpointCount: number;
  /** Stored bytes of the live checkpoints. */
  readonly totalBytes: number;
}

/** Removed checkpoint whose blob still exists, or (`isDone`) whose tombstone is still in the session facts. Keyed by blob. */
export interface RemovalRow {
  readonly blob: BlobRef;
  readonly checkpointId: CheckpointId;
  readonly sessionId: SessionId;
  readonly isDone: boolean;
}

/** Removed checkpoint of which nothing may remain. Keyed by blob. */
export type ErasureRow = Omit<RemovalRow, "isDone">;

export interface HoldRow {
  readonly holder: string;
  readonly until: Date;
}

/** Every table of a catalog except the audit log. */
export interface Tables {
  readonly checkpoint: CheckpointRow;
  readonly session: SessionRow;
  readonly edge: Edge;
  readonly removal: RemovalRow;
  readonly erasure: ErasureRow;
  readonly hold: HoldRow;
}

/** Row before and after a change. A new row has no `was`, a removed row has no `now`. */
export interface Change<Row> {
  readonly was?: Row | undefined;
  readonly now?: Row | undefined;
}

/** Change of one row, with the name of its table. */
export type RowChange = { readonly [T in keyof Tables]: Change<Tables[T]> & { readonly table: T } }[keyof Tables];

/** New row, with the name of its table. */
export type NewRow = { readonly [T in keyof Tables]: { readonly table: T; readonly now: Tables[T] } }[keyof Tables];

/** Returns the record of a row unless its checkpoint is in the trash. */
export function liveIn(row: CheckpointRow | undefined): CheckpointRecord | undefined {
  return row?.trashedAt === undefined ? row?.record : undefined;
}

/** Makes the change of one row. */
export function changed<T extends keyof Tables>(table: T, was: Tables[T] | undefined, now: Tables[T] | undefined): RowChange {
  return { table, was, now } as RowChange;
}

/** Selects the changes of one table. */
export function changesOf<T extends keyof Tables>(table: T, rows: readonly RowChange[]): readonly Change<Tables[T]>[] {
  return rows.filter((row) => row.table === table) as readonly Change<Tables[T]>[];
}

/** Identifies a row in its table. */
export const KEY_OF: { readonly [T in keyof Tables]: (row: Tables[T]) => string } = {
  checkpoint: ({ record }) => record.id,
  session: ({ id }) => id,
  edge: ({ dependent, base }) => `${dependent} ${base}`,
  removal: ({ blob }) => blob,
  erasure: ({ blob }) => blob,
  hold: ({ holder }) => holder,
};

/** Applies changes to rows of a table. Rows that do not change come first, in their order. */
export function rowsAfter<T extends keyof Tables>(
  table: T,
  before: readonly Tables[T][],
  changes: readonly RowChange[],
): readonly Tables[T][] {
  const keyOf = KEY_OF[table];
  const after = new Map<string, Tables[T] | undefined>();
  for (const { was, now } of changesOf(table, changes)) {
    if (was !== undefined) after.set(keyOf(was), undefined);
    if (now !== undefined) after.set(keyOf(now), now);
  }
  if (after.size === 0) return before;
  const fresh = [...after.values()].filter((row) => row !== undefined);
  return [...before.filter((row) => !after.has(keyOf(row))), ...fresh];
}

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

/** Makes the row that remembers the blob of a removed checkpoint. */
export function removalOf({ id: checkpointId, sessionId, blob }: CheckpointRecord): RemovalRow {
  return { blob, checkpointId, sessionId, isDone: false };
}
