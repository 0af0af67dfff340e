import { proveDerived } from "./discrepancies.ts";
import { proveAllRows } from "./prove-rows.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { databaseDamaged } from "./storage-errors.ts";

/** Up to this size, some 50,000 checkpoints, the main tables are read through at each opening, which takes a twentieth of a second then. */
const READ_AT_OPENING_BYTES = 32 * 1024 * 1024;
/** Up to this one, some 4,000 checkpoints, all tables are, and compared with their indexes, which takes four times as long. */
const COMPARED_AT_OPENING_BYTES = 2 * 1024 * 1024;
/** Up to this one, some 1,000 checkpoints, each row proves itself, which takes twice as long again. */
const PROVED_AT_OPENING_BYTES = 512 * 1024;
/** Without them there is nothing; damage elsewhere can wait for the whole check. */
const MAIN_TABLES = ["session", "checkpoint"];
const WHOLE_CHECK_EVERY_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Has SQLite read through a catalog, or through its main tables, as far as it is not too large for it.
 *
 * @throws an error with the code SQLITE_CORRUPT; errors of the driver.
 */
export function checkShape(connection: SqliteConnection, sizeBytes: number): void {
  if (sizeBytes > READ_AT_OPENING_BYTES) return;
  const checks = sizeBytes <= COMPARED_AT_OPENING_BYTES ? ["integrity_check"] : MAIN_TABLES.map((table) => `quick_check(${table})`);
  for (const check of checks) expectSound(connection.statement(`PRAGMA ${check}`).all());
}

/**
 * Proves what SQLite does not know of: each row, and what follows from rows, of a catalog that is not too large for it.
 *
 * @throws an error with the code SQLITE_CORRUPT; errors of the driver.
 */
export function checkContent(connection: SqliteConnection, sizeBytes: number): void {
  if (sizeBytes > PROVED_AT_OPENING_BYTES) return;
  proveAllRows(connection);
  proveDerived(connection);
}

/** Throws with the code SQLITE_CORRUPT unless these are the rows that a check gives for a sound database: one, of one column. */
export function expectSound(rows: readonly unknown[]): void {
  const findings = (rows as readonly Readonly<Record<string, string>>[]).flatMap((row) => Object.values(row));
  if (findings.join() === "ok") return;
  throw databaseDamaged(`The catalog is damaged: ${findings[0]}`);
}

/** Whether all of the catalog was not read through for a week, by a clock that may have jumped. */
export function isWholeCheckDue(connection: SqliteConnection): boolean {
  return Math.abs(Date.now() - numberIn(connection, "checked_at")) > WHOLE_CHECK_EVERY_MS;
}

/** Notes that it was done now. Within a write transaction. */
export function noteWholeCheck(connection: SqliteConnection): void {
  note(connection, "checked_at", Date.now());
}

/** How often it was mended in its place, by whomever. */
export function mendingsOf(connection: SqliteConnection): number {
  return numberIn(connection, "mendings");
}

/** Within the write transaction that mends it. */
export function noteMending(connection: SqliteConnection, times: number): void {
  note(connection, "mendings", times);
}

type Noted = "checked_at" | "mendings";

/** 0 where nothing was noted. */
function numberIn(connection: SqliteConnection, name: Noted): number {
  const row = connection.statement("SELECT value FROM meta WHERE name = ?").get(name) as { readonly value: number } | undefined;
  return row?.value ?? 0;
}

function note(connection: SqliteConnection, name: Noted, value: number): void {
  connection.statement("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)").run(name, value);
}
