import type { CheckpointRow, SessionRow } from "./schema.ts";
import { databaseDamaged } from "./storage-errors.ts";

/** A row without its sum. */
export type Unsummed<Row> = Omit<Row, "checksum">;

/** Columns in the order in which they are summed, which is the order of the table. Columns and order are part of the format. */
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

/** Columns that a checksum covers, by name. */
type Covered<Column extends string> = Readonly<Record<Column, Summed>>;

/** Returns a row with its checksum. */
export function summed<Column extends string, Row extends Covered<Column>>(
  row: Row,
  columns: readonly Column[],
): Row & { checksum: number } {
  return { ...row, checksum: checksumOf(row, columns) };
}

/**
 * Throws when the checksum of a row is wrong: an error with the code SQLITE_CORRUPT. SQLite itself does not detect a flipped bit in a
 * value, or in the name of a column, which is text in the database too.
 */
export function expectSummed<Column extends string>(
  row: Covered<Column> & { readonly checksum: number },
  columns: readonly Column[],
): void {
  if (row.checksum !== checksumOf(row, columns)) throw databaseDamaged("A row of the catalog differs from the written one.");
}

/**
 * Computes the checksum of a row: FNV-1a with 32 bits (http://www.isthe.com/chongo/tech/comp/fnv/). For each column it takes a mark for the kind of the value, then
 * the UTF-16 units of the value as text. A missing column gives another sum than any value. Each step can be undone, so rows that
 * differ in one unit never have the same sum; other rows have it in one case of four billion.
 */
export function checksumOf<Column extends string>(row: Covered<Column>, columns: readonly Column[]): number {
  let sum = BEGIN;
  for (const column of columns) {
    const value = row[column];
    sum = step(sum, markOf(value));
    if (value === null) continue;
    // A lone surrogate has no UTF-8 form: U+FFFD is written and read in its place.
    const text = typeof value === "string" ? value.toWellFormed() : String(value);
    for (let index = 0; index < text.length; index++) sum = step(sum, text.charCodeAt(index));
  }
  return sum >>> 0;
}

/** Values of columns that the checksum covers. */
export type Summed = string | number | null;

/** Initial sum. Sums are signed, as JavaScript's bit operators make them; only stored sums are unsigned. */
export const BEGIN: number = 0x811c_9dc5 | 0;

const PRIME = 0x0100_0193;
/** Inverse of the prime modulo 2 ** 32. */
const INVERSE = 0x359c_449b;

/** Adds one unit to a sum. */
export function step(sum: number, unit: number): number {
  return Math.imul(sum ^ unit, PRIME);
}

/** Returns the sum before a unit; given the sum before instead of the unit, returns the unit. */
export function subtractUnit(sum: number, unit: number): number {
  return Math.imul(sum, INVERSE) ^ unit;
}

/** Mark for the kind of a value, outside of the range of UTF-16 units. */
export function markOf(value: Summed): number {
  if (value === null) return 0x1_0000;
  return typeof value === "string" ? 0x1_0001 : 0x1_0002;
}
