import path from "node:path";
import { elapsedMs, ensureOwnFile, type FileSystem, remakeDataDirectory, setAside, storeClosed } from "@workrail/blob-files";
import { isWorkrailError, type Locking, type Log, ProcessLocking, runFinally, type SessionId, WorkrailError } from "@workrail/core";
import { isBusy, retryWhileBusy } from "./retry-while-busy.ts";
import type { OpenDatabase, SqliteDatabase } from "./sqlite-driver.ts";
import { storageError } from "./storage-errors.ts";

/** Wait for another process that is checking, at the same moment, whether it has the store alone. */
const A_MOMENT_MS = 5;

/** Wait for the exclusive lock before checking again whether it is still needed. */
const LOOK_AGAIN_MS = 100;

export interface StoreLockOptions {
  readonly file: string;
  readonly fs: FileSystem;
  readonly openDatabase: OpenDatabase;
  /** Longest wait for the holders of the lock. */
  readonly waitMs: number;
  readonly log: Log;
  /** Called after the lock was not held for a moment: another process may have replaced the database. */
  onRegained(): void;
}

/**
 * Shared and exclusive lock of the store, between processes.
 *
 * The lock is SQLite's own lock on a database file. It is portable, and the operating system releases it when a process
 * dies, so no lock is ever stale. `workrail.lock` is an empty database apart from the real one, because a rebuild replaces
 * the real one. A read transaction holds the lock shared; an exclusive transaction holds it exclusively.
 *
 * No other code of this process may open the file: on POSIX, closing any descriptor of a file drops all its locks.
 *
 * The file may be deleted. A lock on a file that is no longer at the path keeps nobody out, so each piece of work first
 * checks the path and takes the lock of the file that is there now. The same applies to the directory of the file.
 */
export class StoreLock implements Locking {
  readonly #gate = new ProcessLocking();
  readonly #options: StoreLockOptions;
  #database: SqliteDatabase | undefined;
  /** Identity of the open file. */
  #identity: string | undefined;
  /** True while a transaction is open, shared or exclusive. */
  #isBegun = false;
  /** True while the lasting shared lock is held. */
  #isHeld = false;
  #isClosed = false;
  #sharing: Promise<void> | undefined;

  /**
   * Takes the shared lock.
   *
   * @throws STORE_IN_USE when another process holds the exclusive lock for longer than `waitMs`.
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
    return this.#gate.exclusively(() =>
      runFinally(
        () => runFinally(alone, () => this.#end()),
        () => this.#shareIfFree(),
      ),
    );
  }

  /** True when no other process has the store open. Waits for processes that make the same check at this moment. */
  isAlone(): Promise<boolean> {
    return this.#gate.exclusively(() =>
      runFinally(
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

  /** Releases the lock for good. */
  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  /** Runs work under the shared lock. Takes the lock again when it was lost to a process that held the store exclusively for too long. */
  async #whileHeld<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#isHeld || this.#isReplaced()) await this.#share();
    return work();
  }

  /**
   * Takes the exclusive lock. Returns to the shared lock in between, so that another waiting process can take the exclusive lock and do the
   * common work.
   */
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

  /** Releases the lock by ROLLBACK. A COMMIT of an exclusive transaction would write a first page, which fails on a full disk. */
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

  /** Takes the shared lock again. Concurrent callers wait for one attempt. */
  async #share(): Promise<void> {
    this.#sharing ??= this.#takeShared().finally(() => {
      this.#sharing = undefined;
    });
    await this.#sharing;
  }

  /** Takes the shared lock when it is free. A lock in use does not fail the work that was done: the next work waits for the lock. */
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

  /** Begins a transaction, and repeats that until the locked file is the one at the path. */
  #begin(begin: "BEGIN" | "BEGIN EXCLUSIVE"): void {
    for (;;) {
      const database = this.#opened();
      try {
        // A journal file could not be created on a full disk.
        database.exec("PRAGMA journal_mode = MEMORY");
        database.exec(begin);
        this.#isBegun = true;
        // A transaction takes its lock by reading.
        database.prepare("SELECT count(*) FROM sqlite_master").get();
        if (!this.#isReplaced()) return;
      } catch (error) {
        this.#end();
        if (!isNoDatabase(error)) throw error;
        // Close first: Windows refuses to move a file that SQLite has open.
        this.#drop();
        this.#replaceForeign();
      }
      this.#drop();
    }
  }

  /** Sets a foreign lock file aside, which keeps its content. Holders of its lock notice that the file at the path is gone. */
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

/** True for SQLite's errors for a file that is not a database. */
function isNoDatabase(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^SQLITE_(NOTADB|CORRUPT)/.test(String(error.code));
}
