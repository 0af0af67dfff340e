import { isWorkrailError, type Locking, ProcessGate, type SessionId, WorkrailError } from "@workrail/core";
import { openDatabase, type SqliteDatabase } from "./sqlite-driver.ts";
import { isBusy, retryWhileBusy } from "./retry-while-busy.ts";

/** Others have the store open for as long as they live; waiting is only for those that are about to end. */
const LONGEST_WAIT_FOR_ALL_MS = 1_000;

/**
 * The store's shared / exclusive lock, between processes.
 *
 * It is the lock that SQLite itself puts on a database file: portable, and released by the operating system when a
 * process dies, so that no lock is ever stale. `workrail.lock` is an empty database apart from the real one, because
 * that one is replaced by a rebuild. A read transaction holds it shared, an exclusive transaction alone.
 *
 * No code of this process may open the file otherwise: on POSIX, closing any descriptor of it drops all its locks.
 */
export class StoreLock implements Locking {
  readonly #gate = new ProcessGate();
  readonly #database: SqliteDatabase;
  readonly #waitMs: number;
  readonly #onRegained: () => void;
  #isHeld = false;
  #sharing: Promise<void> | undefined;

  /**
   * Resolves when the store is held shared.
   *
   * @param onRegained called whenever the store was not held for a moment: others may have replaced the database.
   * @throws STORE_IN_USE when another process keeps it to itself for longer than `waitMs`.
   */
  static async acquire(file: string, waitMs: number, onRegained: () => void): Promise<StoreLock> {
    const lock = new StoreLock(openDatabase(file, 0), waitMs, onRegained);
    try {
      await lock.#share();
    } catch (error) {
      lock.close();
      throw error;
    }
    return lock;
  }

  private constructor(database: SqliteDatabase, waitMs: number, onRegained: () => void) {
    this.#database = database;
    this.#waitMs = waitMs;
    this.#onRegained = onRegained;
  }

  inOrder<T>(session: SessionId, work: () => Promise<T>): Promise<T> {
    return this.#gate.inOrder(session, () => this.#whileHeld(work));
  }

  shared<T>(work: () => Promise<T>): Promise<T> {
    return this.#gate.shared(() => this.#whileHeld(work));
  }

  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#gate.alone(async () => {
      this.#letGo();
      try {
        await this.#takeAlone();
        try {
          this.#onRegained();
          return await work();
        } finally {
          this.#database.exec("COMMIT");
        }
      } finally {
        await this.#shareIfFree();
      }
    });
  }

  /** Releases the lock. */
  close(): void {
    this.#database.close();
  }

  /** Whoever kept the store to itself for too long may have given it back since. */
  #whileHeld<T>(work: () => Promise<T>): Promise<T> {
    return this.#isHeld ? work() : this.#share().then(work);
  }

  #letGo(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#database.exec("COMMIT");
  }

  async #takeAlone(): Promise<void> {
    await this.#orInUse(() => this.#database.exec("BEGIN EXCLUSIVE"), Math.min(this.#waitMs, LONGEST_WAIT_FOR_ALL_MS));
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
      if (!isWorkrailError(error) || error.code !== "STORE_IN_USE") throw error;
    }
  }

  async #takeShared(): Promise<void> {
    await this.#orInUse(() => {
      this.#database.exec("BEGIN");
      try {
        // The lock is only taken by reading.
        this.#database.prepare("SELECT count(*) FROM sqlite_master").get();
        this.#onRegained();
      } catch (error) {
        this.#database.exec("ROLLBACK");
        throw error;
      }
    }, this.#waitMs);
    this.#isHeld = true;
  }

  async #orInUse(take: () => void, waitMs: number): Promise<void> {
    try {
      await retryWhileBusy(take, waitMs);
    } catch (error) {
      if (!isBusy(error)) throw error;
      throw new WorkrailError("STORE_IN_USE", "Another process has the store open.", {
        hint: "Stop the other Workrail servers and commands that use this data directory, then try again.",
        cause: error,
      });
    }
  }
}
