import type { OpenDatabase, SqliteDatabase, SqliteStatement } from "../src/sqlite-driver.ts";
import { openDatabase } from "./open-database.ts";

export interface DriverFault {
  /** Calls that count. Default: all. Opening a database is the call "open". */
  readonly when?: (sql: string) => boolean;
  /** Number of the counted call that fails, from 1. Default 1. */
  readonly at?: number;
  /** True when all later counted calls fail too. */
  readonly persistent?: boolean;
  /**
   * `fails`: the call has no effect. `rolls-back`: SQLite also rolls the transaction back, as on a full disk. `did-it`: the call has
   * its full effect and then fails.
   */
  readonly kind: "fails" | "rolls-back" | "did-it";
  readonly code?: string;
}

/** A driver over real SQLite whose calls fail on demand. */
export class FaultyDriver {
  struck = 0;
  #fault: DriverFault | undefined;
  #count = 0;

  readonly open: OpenDatabase = (file, busyMs) => {
    const error = this.#strike("open", undefined);
    if (error !== undefined) throw error;
    return this.#wrap(openDatabase(file, busyMs));
  };

  arm(fault: DriverFault): void {
    this.#fault = fault;
    this.#count = 0;
    this.struck = 0;
  }

  disarm(): void {
    this.#fault = undefined;
  }

  #wrap(database: SqliteDatabase): SqliteDatabase {
    return {
      exec: (sql) => this.#call(sql, database, () => database.exec(sql)),
      prepare: (sql) => this.#wrapStatement(sql, database, database.prepare(sql)),
      close: () => database.close(),
    };
  }

  #wrapStatement(sql: string, database: SqliteDatabase, statement: SqliteStatement): SqliteStatement {
    return {
      run: (...parameters) => this.#call(sql, database, () => statement.run(...parameters)),
      get: (...parameters) => this.#call(sql, database, () => statement.get(...parameters)),
      all: (...parameters) => this.#call(sql, database, () => statement.all(...parameters)),
    };
  }

  #call<T>(sql: string, database: SqliteDatabase, work: () => T): T {
    // A ROLLBACK never fails, so that failed transactions can end.
    const throwLater = sql === "ROLLBACK" ? undefined : this.#strike(sql, database);
    const result = work();
    if (throwLater !== undefined) throw throwLater;
    return result;
  }

  /** Throws, or returns the error to throw after the work is done. */
  #strike(sql: string, database: SqliteDatabase | undefined): Error | undefined {
    const fault = this.#fault;
    if (fault === undefined || !(fault.when?.(sql) ?? true)) return undefined;
    this.#count += 1;
    const at = fault.at ?? 1;
    if (fault.persistent === true ? this.#count < at : this.#count !== at) return undefined;
    this.struck += 1;
    const code = fault.code ?? "SQLITE_IOERR_FSYNC";
    const error = Object.assign(new Error(`injected ${code}`), { code });
    if (fault.kind === "did-it") return error;
    if (fault.kind === "rolls-back" && database !== undefined) {
      try {
        database.exec("ROLLBACK");
      } catch {
        // No transaction was open.
      }
    }
    throw error;
  }
}
