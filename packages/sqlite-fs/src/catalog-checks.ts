import { proveDerived } from "./discrepancies.ts";
import { proveAllRows } from "./prove-rows.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { databaseDamaged } from "./storage-errors.ts";

/** Up to this size (some 50,000 checkpoints) each opening checks the main tables, which takes at most a twentieth of a second. */
const READ_AT_OPENING_BYTES = 32 * 1024 * 1024;
/** Up to this size (some 4,000 checkpoints) each opening checks all tables against their indexes, which takes four times as long. */
const COMPARED_AT_OPENING_BYTES = 2 * 1024 * 1024;
/** Up to this size (some 1,000 checkpoints) each opening verifies the checksum of each row, which takes twice as long again. */
export const PROVED_AT_OPENING_BYTES: number = 512 * 1024;
/** Tables that all else depends on. Damage in other tables can wait for the whole check. */
const MAIN_TABLES = ["session", "checkpoint"];
const WHOLE_CHECK_EVERY_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Runs SQLite's own checks of a catalog: of all tables, of the main tables, or none, depending on its size.
 *
 * @throws an error with the code SQLITE_CORRUPT; errors of the driver.
 */
export function checkShape(connection: SqliteConnection, sizeBytes: number): void {
  if (sizeBytes > READ_AT_OPENING_BYTES) return;
  const checks = sizeBytes <= COMPARED_AT_OPENING_BYTES ? ["integrity_check"] : MAIN_TABLES.map((table) => `quick_check(${table})`);
  for (const check of checks) expectSound(connection.statement(`PRAGMA ${check}`).all());
}

/**
 * Checks what SQLite's own check does not cover: checksums of rows and data derived from rows. Skips a large catalog.
 *
 * @throws an error with the code SQLITE_CORRUPT; errors of the driver.
 */
export function checkContent(connection: SqliteConnection, sizeBytes: number): void {
  if (sizeBytes > PROVED_AT_OPENING_BYTES) return;
  proveAllRows(connection);
  proveDerived(connection);
}

/** Throws an error with the code SQLITE_CORRUPT unless a check returned the only row `ok`. */
export function expectSound(rows: readonly unknown[]): void {
  const findings = (rows as readonly Readonly<Record<string, string>>[]).flatMap((row) => Object.values(row));
  if (findings.join() === "ok") return;
  throw databaseDamaged(`The catalog is damaged: ${findings[0]}`);
}

/** True when the last whole check was more than a week ago. A jump of the clock in either direction counts too. */
export function isWholeCheckDue(connection: SqliteConnection): boolean {
  return Math.abs(Date.now() - numberIn(connection, "checked_at")) > WHOLE_CHECK_EVERY_MS;
}

/** Records that a whole check was done now. Runs within a write transaction. */
export function noteWholeCheck(connection: SqliteConnection): void {
  note(connection, "checked_at", Date.now());
}

/** Returns the number of times that any process mended the catalog in place. */
export function mendingsOf(connection: SqliteConnection): number {
  return numberIn(connection, "mendings");
}

/** Records a mending. Runs within the transaction that mends the catalog. */
export function noteMending(connection: SqliteConnection, times: number): void {
  note(connection, "mendings", times);
}

type Noted = "checked_at" | "mendings";

/** Reads a noted number; 0 when nothing was noted. */
function numberIn(connection: SqliteConnection, name: Noted): number {
  const row = connection.statement("SELECT value FROM meta WHERE name = ?").get(name) as { readonly value: number } | undefined;
  return row?.value ?? 0;
}

function note(connection: SqliteConnection, name: Noted, value: number): void {
  connection.statement("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)").run(name, value);
}
