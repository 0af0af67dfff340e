import type { OpenDatabase, SqliteDatabase, SqliteStatement } from "../src/sqlite-driver.ts";
import { openDatabase } from "./open-database.ts";

export interface DriverFault {
  /** Which calls count; default all. Opening a database is the call "open". */
  readonly when?: (sql: string) => boolean;
  /** Strikes at the nth of them, from 1. Default 1. */
  readonly at?: number;
  /** And at all that follow. */
  readonly persistent?: boolean;
  /** `fails`: without effect; `rolls-back`: and SQLite has ended the transaction, as it does when the disk is full; `did-it`: with all its effect. */
  readonly kind: "fails" | "rolls-back" | "did-it";
  readonly code?: string;
}

/** A driver whose calls fail as they are told to: what it does, it does with real SQLite. */
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
    // What ends a transaction that failed must be able to.
    const throwLater = sql === "ROLLBACK" ? undefined : this.#strike(sql, database);
    const result = work();
    if (throwLater !== undefined) throw throwLater;
    return result;
  }

  /** Throws, or says what to throw when the work is done. */
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
        // It was not within a transaction.
      }
    }
    throw error;
  }
}
