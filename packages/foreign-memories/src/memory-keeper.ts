import fs from "node:fs";
import path from "node:path";
import { copyDatabaseNow, PrivateDirectory } from "@workrail/blob-files";
import { isWorkrailError } from "@workrail/core";
import type { ForeignPart, OpenForeignDatabase } from "./foreign-memory.ts";
import { ForeignTables } from "./foreign-tables.ts";
import { readKeeperSession } from "./keeper-session.ts";
import { unreadableMemory } from "./refusals.ts";

const SOURCE = "mcp-memory-keeper";
export const KEEPER_FILE = "context.db";
const MAX_FILE_BYTES = 512 * 1024 * 1024;
const MAX_SESSIONS = 10_000;

/**
 * Reads the database of mcp-memory-keeper. The database and its log are copied to a private directory, which is removed
 * afterwards. The original is not locked and not changed, and its server may run meanwhile. Each session becomes one session.
 *
 * @param given the file, or its folder.
 * @throws INVALID_INPUT when the file is missing, larger than 512 MiB, damaged, or not a database of that program.
 */
export async function* readMemoryKeeper(given: string, openDatabase: OpenForeignDatabase): AsyncGenerator<ForeignPart, void, undefined> {
  const file = databaseIn(given);
  const place = PrivateDirectory.create(path.dirname(file));
  try {
    const copy = path.join(place.path, KEEPER_FILE);
    if (!copyDatabaseNow(file, copy)) throw unreadableMemory({ source: SOURCE, place: file }, "it changes all the time");
    const database = openDatabase(copy, 0);
    try {
      yield* readSessions(new ForeignTables(database), file);
    } finally {
      database.close();
    }
  } catch (error) {
    if (isSqliteError(error))
      throw unreadableMemory({ source: SOURCE, place: file }, "it is not a SQLite database, or it is damaged", error);
    throw error;
  } finally {
    place.remove();
  }
}

function* readSessions(tables: ForeignTables, file: string): Generator<ForeignPart, void, undefined> {
  if (!tables.has("sessions", "id") || !tables.has("context_items", "session_id", "key", "value")) {
    throw unreadableMemory({ source: SOURCE, place: file }, "it has no sessions of mcp-memory-keeper");
  }
  const ids = tables.values("sessions", "id", MAX_SESSIONS + 1);
  if (ids.length > MAX_SESSIONS) throw unreadableMemory({ source: SOURCE, place: file }, `it has more than ${MAX_SESSIONS} sessions`);
  for (const [index, id] of ids.entries()) {
    const { session, skipped } = readKeeperSession(tables, id);
    for (const { place, reason } of skipped) yield { kind: "skipped", place: `${file}, ${place}`, reason };
    if (session !== undefined) yield { kind: "session", session, done: index + 1, total: ids.length };
  }
}

/** The real path, because a link cannot be copied as a database. */
function databaseIn(given: string): string {
  let file: string;
  try {
    file = fs.realpathSync(given);
    if (fs.statSync(file).isDirectory()) file = fs.realpathSync(path.join(file, KEEPER_FILE));
  } catch (error) {
    if (isWorkrailError(error)) throw error;
    throw unreadableMemory({ source: SOURCE, place: given }, "it does not exist, or you may not read it", error);
  }
  const found = fs.statSync(file);
  if (!found.isFile()) throw unreadableMemory({ source: SOURCE, place: given }, "it is not a regular file");
  if (found.size + sizeOf(`${file}-wal`) > MAX_FILE_BYTES) throw unreadableMemory({ source: SOURCE, place: given }, "it is too large");
  return file;
}

function sizeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** True for errors of both SQLite drivers. Node's driver has one code for all its errors. */
function isSqliteError(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return false;
  return error.code.startsWith("SQLITE_") || error.code === "ERR_SQLITE_ERROR";
}
