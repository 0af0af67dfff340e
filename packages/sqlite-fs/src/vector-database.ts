import path from "node:path";
import { ensureOwnFile, type FileSystem, removeIfPresent, storeClosed, VECTORS } from "@workrail/blob-files";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { userVersion } from "./schema-version.ts";
import type { JournalMode } from "./sqlite-connection.ts";
import type { OpenDatabase, SqliteDatabase } from "./sqlite-driver.ts";
import { storageError } from "./storage-errors.ts";

export interface VectorDatabaseOptions {
  readonly dataDir: string;
  readonly fs: FileSystem;
  readonly openDatabase: OpenDatabase;
  readonly journal: JournalMode;
  /** How long to wait for others that write. */
  readonly lockWaitMs: number;
}

/** Of another schema it is made anew: what it holds can be had again. */
const VERSION = 1;

const SCHEMA = `
  CREATE TABLE space (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    dimensions INTEGER NOT NULL,
    position TEXT,
    used_at INTEGER NOT NULL,
    notes INTEGER NOT NULL DEFAULT 0,
    UNIQUE (name, dimensions)
  ) STRICT;
  CREATE TABLE vector (
    id INTEGER PRIMARY KEY,
    space_id INTEGER NOT NULL REFERENCES space ON DELETE CASCADE,
    checkpoint_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    project TEXT,
    -- float32, little-endian, of length 1
    numbers BLOB NOT NULL,
    UNIQUE (checkpoint_id, space_id)
  ) STRICT;
  CREATE INDEX vector_by_session ON vector (session_id, space_id);
  CREATE INDEX vector_by_project ON vector (space_id, project);
  CREATE TABLE pending (
    space_id INTEGER NOT NULL REFERENCES space ON DELETE CASCADE,
    session_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (space_id, session_id)
  ) STRICT, WITHOUT ROWID;
  PRAGMA user_version = ${VERSION}`;

/** What is derived need not outlive a power cut, only be whole after it. */
const SETTINGS = "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF";

/** The file `vectors.db`: made when there is something to hold, made anew when it cannot be read. */
export class VectorDatabase {
  readonly #options: VectorDatabaseOptions;
  readonly #file: string;
  #database: SqliteDatabase | undefined;
  /** Which file is open. */
  #identity: string | undefined;
  #isClosed = false;

  constructor(options: VectorDatabaseOptions) {
    this.#options = options;
    this.#file = path.join(options.dataDir, VECTORS);
  }

  /** `work`'s answer about what is there; `none` where nothing is. */
  async read<T>(none: T, work: (database: SqliteDatabase) => T): Promise<T> {
    return this.#run(false, (database) => (database === undefined ? none : work(database)));
  }

  /** Does all of `work` or nothing. Where nothing is there nothing is done, unless `make`. */
  async write(make: boolean, work: (database: SqliteDatabase) => void): Promise<void> {
    await this.#run(make, (database) => {
      if (database !== undefined) inTransaction(database, () => work(database));
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#disconnect();
  }

  async #run<T>(make: boolean, work: (database: SqliteDatabase | undefined) => T): Promise<T> {
    const attempt = (): Promise<T> => retryWhileBusy(() => work(this.#connect(make)), this.#options.lockWaitMs);
    try {
      return await attempt().catch((error: unknown) => {
        if (!isUnreadable(error)) throw error;
        this.discard();
        return attempt();
      });
    } catch (error) {
      throw storageError(error, this.#file);
    }
  }

  #connect(make: boolean): SqliteDatabase | undefined {
    if (this.#isClosed) throw storeClosed();
    const { fs, openDatabase, journal } = this.#options;
    const identity = fs.inspect(this.#file)?.identity;
    // A backup may have taken the place of the store.
    if (identity !== this.#identity) this.#disconnect();
    if (this.#database !== undefined || (identity === undefined && !make)) return this.#database;
    ensureOwnFile(fs, this.#file);
    const database = openDatabase(this.#file, 0);
    try {
      database.exec(`PRAGMA journal_mode = ${journal}; ${SETTINGS}`);
      if (userVersion(database) !== VERSION) inTransaction(database, () => makeSchema(database));
    } catch (error) {
      database.close();
      throw error;
    }
    this.#identity = fs.inspect(this.#file)?.identity;
    return (this.#database = database);
  }

  #disconnect(): void {
    this.#database?.close();
    this.#database = undefined;
    this.#identity = undefined;
  }

  /** It is made anew when it is needed. */
  discard(): void {
    this.#disconnect();
    for (const suffix of ["-wal", "-shm", "-journal", ""]) removeIfPresent(this.#options.fs, this.#file + suffix);
  }
}

/** Somebody else may have been faster. */
function makeSchema(database: SqliteDatabase): void {
  const version = userVersion(database);
  if (version === VERSION) return;
  if (version !== 0) throw Object.assign(new Error("It has another schema."), { code: "SQLITE_NOTADB" });
  database.exec(SCHEMA);
}

function inTransaction(database: SqliteDatabase, work: () => void): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    work();
    database.exec("COMMIT");
  } catch (error) {
    try {
      database.exec("ROLLBACK");
    } catch {
      // SQLite has ended it already; the first failure tells more.
    }
    throw error;
  }
}

function isUnreadable(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code));
}
