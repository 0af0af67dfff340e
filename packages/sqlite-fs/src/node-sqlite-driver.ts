import type { Require, SqliteDatabase, SqliteDriver, SqliteStatement } from "./sqlite-driver.ts";

interface NodeSqlite {
  readonly DatabaseSync: new (file: string) => SqliteDatabase;
}

/** The SQLite that is built into Node since 22.13. Node before 24 warns once, on standard error, that it is experimental. */
export function nodeSqlite(require: Require): SqliteDriver {
  const { DatabaseSync } = require("node:sqlite") as NodeSqlite;
  return {
    name: "node:sqlite",
    open(file, busyMs) {
      const database = named(() => new DatabaseSync(file));
      // The constructor's timeout option is newer than Node 22.13.
      database.exec(`PRAGMA busy_timeout = ${busyMs}`);
      return new NamedErrors(database);
    },
  };
}

/** Gives errors of `node:sqlite`, which have only a number, SQLite's name as their code. */
class NamedErrors implements SqliteDatabase {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  exec(sql: string): void {
    named(() => this.#database.exec(sql));
  }

  prepare(sql: string): SqliteStatement {
    const statement = named(() => this.#database.prepare(sql));
    return {
      run: (...parameters) => named(() => statement.run(...parameters)),
      get: (...parameters) => named(() => statement.get(...parameters)),
      all: (...parameters) => named(() => statement.all(...parameters)),
    };
  }

  close(): void {
    named(() => this.#database.close());
  }
}

/** Runs `work`, and gives an error of `node:sqlite` SQLite's name as its code. Other errors pass unchanged. */
export function named<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = nameOf(error);
    if (code === undefined) throw error;
    throw Object.assign(new Error((error as Error).message, { cause: error }), { code });
  }
}

function nameOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  // The low byte is the kind of error. The other bytes tell more, which matters only for shared memory.
  if (error.errcode === SHARED_MEMORY_SIZE) return "SQLITE_IOERR_SHMSIZE";
  if (SHARED_MEMORY.includes(error.errcode)) return "SQLITE_IOERR_SHM";
  return `SQLITE_${NAMES[error.errcode & 0xff] ?? "ERROR"}`;
}

/** Errors of opening, locking and mapping shared memory. */
const SHARED_MEMORY: readonly number[] = [18, 20, 21].map((detail) => (detail << 8) | 10);
/** Error of growing shared memory. */
const SHARED_MEMORY_SIZE = (19 << 8) | 10;

/** SQLite's result codes, from 0. */
const NAMES = [
  "OK",
  "ERROR",
  "INTERNAL",
  "PERM",
  "ABORT",
  "BUSY",
  "LOCKED",
  "NOMEM",
  "READONLY",
  "INTERRUPT",
  "IOERR",
  "CORRUPT",
  "NOTFOUND",
  "FULL",
  "CANTOPEN",
  "PROTOCOL",
  "EMPTY",
  "SCHEMA",
  "TOOBIG",
  "CONSTRAINT",
  "MISMATCH",
  "MISUSE",
  "NOLFS",
  "AUTH",
  "FORMAT",
  "RANGE",
  "NOTADB",
] as const;
