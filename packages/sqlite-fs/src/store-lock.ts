import path from "node:path";
import { elapsedMs, ensureOwnFile, type FileSystem, remakeDataDirectory, setAside, storeClosed } from "@workrail/blob-files";
import { isWorkrailError, type Locking, type Log, ProcessGate, runThen, type SessionId, WorkrailError } from "@workrail/core";
import { isBusy, retryWhileBusy } from "./retry-while-busy.ts";
import type { OpenDatabase, SqliteDatabase } from "./sqlite-driver.ts";
import { storageError } from "./storage-errors.ts";

/** For who else is just opening the store, and looks whether it is alone. */
const A_MOMENT_MS = 5;

/** How long one waits for the store alone before one looks whether it is still needed alone. */
const LOOK_AGAIN_MS = 100;

export interface StoreLockOptions {
  readonly file: string;
  readonly fs: FileSystem;
  readonly openDatabase: OpenDatabase;
  /** How long to wait for those who hold it. */
  readonly waitMs: number;
  readonly log: Log;
  /** Called whenever the store was not held for a moment: others may have replaced the database. */
  onRegained(): void;
}

/**
 * The store's shared / exclusive lock, between processes.
 *
 * It is the lock that SQLite itself puts on a database file: portable, and released by the operating system when a
 * process dies, so that no lock is ever stale. `workrail.lock` is an empty database apart from the real one, because
 * that one is replaced by a rebuild. A read transaction holds it shared, an exclusive transaction alone.
 *
 * No code of this process may open the file otherwise: on POSIX, closing any descriptor of it drops all its locks.
 *
 * Somebody may delete the file. A lock on what is no longer under the path keeps nobody out, so each piece of work
 * begins with a look, and with the lock of the file that is there now. The same holds for the directory that it is in.
 */
export class StoreLock implements Locking {
  readonly #gate = new ProcessGate();
  readonly #options: StoreLockOptions;
  #database: SqliteDatabase | undefined;
  /** Which file is open. */
  #identity: string | undefined;
  /** Whether a transaction is open, shared or exclusive. */
  #isBegun = false;
  /** Whether it is the shared one that lasts. */
  #isHeld = false;
  #isClosed = false;
  #sharing: Promise<void> | undefined;

  /**
   * Resolves when the store is held shared.
   *
   * @throws STORE_IN_USE when another process keeps it to itself for longer than `waitMs`.
   */
  static async acquire(options: StoreLockOptions): Promise<StoreLock> {
    const lock = new StoreLock(options);
    try {
      await lock.#share();
    } catch (error) {
      lock.close();
      throw error;
    }
    return lock;
  }

  private constructor(options: StoreLockOptions) {
    this.#options = options;
  }

  inOrder<T>(session: SessionId, work: () => Promise<T>): Promise<T> {
    return this.#gate.inOrder(session, () => this.#whileHeld(work));
  }

  shared<T>(work: () => Promise<T>): Promise<T> {
    return this.#gate.shared(() => this.#whileHeld(work));
  }

  exclusively<T>(work: () => Promise<T>, isNeeded: () => Promise<boolean> = async () => true): Promise<T> {
    const alone = async (): Promise<T> => {
      await this.#takeAlone(isNeeded);
      this.#options.onRegained();
      return work();
    };
    return this.#gate.alone(() =>
      runThen(
        () => runThen(alone, () => this.#end()),
        () => this.#shareIfFree(),
      ),
    );
  }

  /** Whether nobody else has the store open. Those who are looking too, at this moment, are waited for. */
  isAlone(): Promise<boolean> {
    return this.#gate.alone(() =>
      runThen(
        () => this.#lookAlone(),
        () => this.#share(),
      ),
    );
  }

  async #lookAlone(): Promise<boolean> {
    this.#end();
    try {
      await retryWhileBusy(() => this.#begin("BEGIN EXCLUSIVE"), A_MOMENT_MS);
      this.#end();
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw storageError(error, this.#options.file);
    }
  }

  /** Releases the lock, for good. */
  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  /** Whoever kept the store to itself for too long may have given it back since. */
  async #whileHeld<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#isHeld || this.#isReplaced()) await this.#share();
    return work();
  }

  /** Those who wait for the same are let through in between, and may do what all of them came for. */
  async #takeAlone(isNeeded: () => Promise<boolean>): Promise<void> {
    const deadline = elapsedMs() + this.#options.waitMs;
    for (;;) {
      this.#end();
      const leftMs = deadline - elapsedMs();
      try {
        await this.#orInUse(() => this.#begin("BEGIN EXCLUSIVE"), Math.min(LOOK_AGAIN_MS, leftMs));
        return;
      } catch (error) {
        if (!isInUse(error) || leftMs <= LOOK_AGAIN_MS) throw error;
        await this.#share();
        if (!(await isNeeded())) throw error;
      }
    }
  }

  /** Releases the lock. A COMMIT of an exclusive transaction would write a first page into an empty file, which a full disk refuses. */
  #end(): void {
    if (!this.#isBegun) return;
    this.#isBegun = false;
    this.#isHeld = false;
    try {
      this.#database?.exec("ROLLBACK");
    } catch {
      // A closed connection holds no lock either.
      this.#drop();
    }
  }

  /** Holds the store shared again; those who come together wait for one attempt. */
  async #share(): Promise<void> {
    this.#sharing ??= this.#takeShared().finally(() => {
      this.#sharing = undefined;
    });
    await this.#sharing;
  }

  /** Not being able to is no failure of the work that was done: the next work waits for the lock itself. */
  async #shareIfFree(): Promise<void> {
    try {
      await this.#share();
    } catch (error) {
      if (!isInUse(error)) throw error;
    }
  }

  async #takeShared(): Promise<void> {
    await this.#orInUse(() => {
      this.#end();
      this.#begin("BEGIN");
      try {
        this.#options.onRegained();
      } catch (error) {
        this.#end();
        throw error;
      }
    });
    this.#isHeld = true;
  }

  /** Begins a transaction on the file that is under the path when it has begun. */
  #begin(begin: "BEGIN" | "BEGIN EXCLUSIVE"): void {
    for (;;) {
      const database = this.#opened();
      try {
        // A journal on a full disk could not be made.
        database.exec("PRAGMA journal_mode = MEMORY");
        database.exec(begin);
        this.#isBegun = true;
        // A transaction takes its lock by reading.
        database.prepare("SELECT count(*) FROM sqlite_master").get();
        if (!this.#isReplaced()) return;
      } catch (error) {
        this.#end();
        if (!isNoDatabase(error)) throw error;
        // Windows lets nobody move a file that SQLite has open.
        this.#drop();
        this.#replaceForeign();
      }
      this.#drop();
    }
  }

  /** Nothing that matters is in the file. What somebody put there is kept, and whoever holds the lock of it sees that it is gone. */
  #replaceForeign(): void {
    const { file, fs, log } = this.#options;
    if (this.#isReplaced()) return;
    setAside(fs, file);
    log.warn("the lock file held something else, which was put aside", { path: file });
  }

  #opened(): SqliteDatabase {
    const { file, fs, log, openDatabase } = this.#options;
    if (this.#isClosed) throw storeClosed();
    if (this.#database !== undefined && !this.#isReplaced()) return this.#database;
    this.#drop();
    remakeDataDirectory(fs, path.dirname(file), log);
    ensureOwnFile(fs, file);
    this.#identity = fs.inspect(file)?.identity;
    this.#database = openDatabase(file, 0);
    return this.#database;
  }

  #drop(): void {
    const database = this.#database;
    this.#database = undefined;
    this.#isBegun = false;
    this.#isHeld = false;
    database?.close();
  }

  #isReplaced(): boolean {
    const { file, fs } = this.#options;
    try {
      return fs.inspect(file)?.identity !== this.#identity;
    } catch (error) {
      throw storageError(error, file);
    }
  }

  async #orInUse(take: () => void, waitMs = this.#options.waitMs): Promise<void> {
    try {
      await retryWhileBusy(take, waitMs);
    } catch (error) {
      if (!isBusy(error)) throw storageError(error, this.#options.file);
      throw new WorkrailError("STORE_IN_USE", "Another process has the store open.", {
        hint: "Stop the other Workrail servers and commands that use this data directory, then try again.",
        cause: error,
      });
    }
  }
}

function isInUse(error: unknown): boolean {
  return isWorkrailError(error) && error.code === "STORE_IN_USE";
}

/** What SQLite says of a file with anything else in it. */
function isNoDatabase(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^SQLITE_(NOTADB|CORRUPT)/.test(String(error.code));
}
