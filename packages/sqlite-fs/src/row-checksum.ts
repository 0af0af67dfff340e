import type { CheckpointRow, SessionRow } from "./schema.ts";
import { databaseDamaged } from "./storage-errors.ts";

/** A row without its sum. */
export type Unsummed<Row> = Omit<Row, "checksum">;

/** In which order the columns of a row are summed, which is part of the format, as are the columns: that of the table. */
export const CHECKPOINT_COLUMNS: readonly (keyof Unsummed<CheckpointRow>)[] = [
  "ordinal",
  "id",
  "session_id",
  "sequence",
  "parent_id",
  "kind",
  "created_at",
  "last_accessed_at",
  "agent_id",
  "workflow_id",
  "project",
  "name",
  "tags",
  "attributes",
  "exact_digest",
  "canonical_digest",
  "context_bytes",
  "layers",
  "writer",
  "blob",
  "blob_bytes",
  "base_id",
  "key_id",
  "damaged",
  "folded",
  "folded_name",
  "shielded_until",
];

export const SESSION_COLUMNS: readonly (keyof Unsummed<SessionRow>)[] = [
  "id",
  "created_at",
  "last_accessed_at",
  "tags",
  "pins",
  "checkpoint_count",
  "total_bytes",
  "last_sequence",
  "oldest_live",
  "aside_count",
];

/** What the `checksum` of a row of `checkpoint` must be. */
export function checkpointChecksum(row: Unsummed<CheckpointRow>): number {
  return checksumOf(row, CHECKPOINT_COLUMNS);
}

/** The row of `checkpoint` with the sum of what it says. */
export function summed(row: Unsummed<CheckpointRow>): CheckpointRow {
  return { ...row, checksum: checkpointChecksum(row) };
}

/** What the `checksum` of a row of `session` must be. */
export function sessionChecksum(row: Unsummed<SessionRow>): number {
  return checksumOf(row, SESSION_COLUMNS);
}

/**
 * The row, if it is as it was written.
 *
 * @throws an error with the code SQLITE_CORRUPT: the names of columns are text in the database, too, and neither in them nor in values is a
 *   flipped bit an error to SQLite.
 */
export function checkedCheckpoint<Row extends CheckpointRow>(row: Row): Row {
  return checked(row, checkpointChecksum(row));
}

/** The same of a row of `session`. */
export function checkedSession<Row extends SessionRow>(row: Row): Row {
  return checked(row, sessionChecksum(row));
}

/** @throws an error with the code SQLITE_CORRUPT unless the row has them all. */
export function requireColumns<Column extends string>(row: Readonly<Record<Column, unknown>>, columns: readonly Column[]): void {
  const missing = columns.find((column) => row[column] === undefined);
  if (missing !== undefined) throw databaseDamaged(`A row of the catalog has no ${missing}.`);
}

function checked<Row extends { readonly checksum: number }>(row: Row, checksum: number): Row {
  if (row.checksum !== checksum) throw databaseDamaged("A row of the catalog is not as it was written.");
  return row;
}

/**
 * FNV-1a with 32 bits (http://www.isthe.com/chongo/tech/comp/fnv/). Of each column it takes a mark for the kind of its value, then the UTF-16 units of the
 * value as text; one that is not there is none that was summed. Each step can be undone, so that rows which differ in one unit never have the same sum; others have in one case of four thousand million.
 */
function checksumOf<Column extends string>(row: Readonly<Record<Column, Summed>>, columns: readonly Column[]): number {
  let sum = BEGIN;
  for (const column of columns) {
    const value = row[column];
    sum = step(sum, markOf(value));
    if (value === null) continue;
    // A lone surrogate has no UTF-8 form: another sign is written in its place, and read.
    const text = typeof value === "string" ? value.toWellFormed() : String(value);
    for (let index = 0; index < text.length; index++) sum = step(sum, text.charCodeAt(index));
  }
  return sum >>> 0;
}

/** What columns hold. */
export type Summed = string | number | null;

/** The sum of nothing. All sums but those that are stored are signed, as operators on bits make them. */
export const BEGIN: number = 0x811c_9dc5 | 0;

const PRIME = 0x0100_0193;
/** Its product with the prime is 1, but for multiples of 2 ** 32. */
const INVERSE = 0x359c_449b;

/** The sum with one more unit. */
export function step(sum: number, unit: number): number {
  return Math.imul(sum ^ unit, PRIME);
}

/** The sum that it was before this unit; or, given that sum, the unit. */
export function stepBack(sum: number, unit: number): number {
  return Math.imul(sum, INVERSE) ^ unit;
}

/** Stands for the kind of a value, and is no UTF-16 unit. */
export function markOf(value: Summed): number {
  if (value === null) return 0x1_0000;
  return typeof value === "string" ? 0x1_0001 : 0x1_0002;
}
