import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { isWorkrailError, SerialQueue, WorkrailError } from "@workrail/core";
import { sql } from "kysely";
import { ask } from "./ask.ts";
import { nameOf } from "./kept-statements.ts";
import { prepared } from "./queries/prepared.ts";
import { builder, type Query } from "./queries/query-builder.ts";
import { storedText } from "./stored-text.ts";
import type { Connection, Database, Statement } from "./sql-connection.ts";
import {
  isAborted,
  isOfAnother,
  isOfConnection,
  isOfStatement,
  KeptStatementLost,
  storageError,
  translating,
  unknownOutcome,
} from "./storage-errors.ts";

export interface TransactionsOptions {
  readonly database: Database;
  readonly tenant: string;
  /** Longest time to wait for the lock of the store. */
  readonly lockWaitMs: number;
  /** Time after which the database ends a transaction whose process is silent. */
  readonly silenceMs: number;
  /** Longest time to retry a change after a lost connection. */
  readonly retryMs: number;
}

/** Row of `store` as the lock found it. */
export interface LockedStore {
  readonly last_commit: number;
  /** Opener that works alone now. */
  readonly alone_by: string | null;
  /** Id of the transaction that has the lock. */
  readonly transaction: string;
}

/** A change of the store under way. No other change of the tenant runs meanwhile. */
export interface Turn {
  readonly connection: Connection;
  /** Resolves when the store is locked. Statements that are sent before that run when it is. */
  readonly locked: Promise<LockedStore>;
}

/** End of a turn. */
export interface Ending<T> {
  readonly outcome: T;
  /** True when the statements of the turn itself must be committed. */
  readonly hasWritten: boolean;
  /** Statements to commit, all sent at once. */
  readonly writes: readonly Query<unknown>[];
  /** Builds the query of a row that only this commit can have written. Absent where there is none. */
  readonly evidence?: (() => Query<unknown>) | undefined;
}

/**
 * Runs transactions on the store of a tenant. Each change locks the tenant's row of `store` first, so that all changes of a tenant come
 * one after another, whichever process makes them. Changes of one process wait in a queue here and take one connection in all.
 */
export class Transactions {
  readonly #options: TransactionsOptions;
  readonly #changes = new SerialQueue();
  /** Reads that wait for a connection. */
  readonly #waiting: WaitingRead[] = [];
  /** Names the tenant at the beginning of each transaction. */
  readonly #settings: Statement;
  /** Names it at the beginning of a change. */
  readonly #changeSettings: Statement;
  readonly #current = new AsyncLocalStorage<{ readonly connection: Connection; isOpen: boolean }>();

  constructor(options: TransactionsOptions) {
    this.#options = options;
    const { tenant, lockWaitMs, silenceMs } = options;
    this.#settings = settings(tenant);
    this.#changeSettings = settings(tenant, { lock_timeout: lockWaitMs, idle_in_transaction_session_timeout: silenceMs });
  }

  /** Waits for the changes that are under way. */
  async settled(): Promise<void> {
    await this.#changes.run(async () => undefined);
  }

  /**
   * Runs `work` in a transaction that holds the lock of the store, and commits the statements that it returns. Repeats it on another
   * connection when the first is lost before the commit, and when the database gives the transaction up because of another one.
   */
  change<T>(work: (turn: Turn) => Promise<Ending<T>>): Promise<T> {
    return this.#changes.run(() => this.#repeating(() => this.#attempt(work)));
  }

  /**
   * Runs work of the caller as a part of a turn: what it asks of the store goes through the turn's connection. Its errors end the turn
   * and pass unchanged, unless a statement failed in a way that lets the turn be repeated, and the work with it.
   */
  async within<T>({ connection }: Turn, work: () => Promise<T>): Promise<T> {
    const current = { connection, isOpen: true };
    try {
      return await this.#current.run(current, work);
    } catch (error) {
      throw new OfCaller(error);
    } finally {
      current.isOpen = false;
    }
  }

  /**
   * Runs statements that may be repeated, in a transaction of their own that takes one round trip, or in that of the turn that this call is
   * part of. `work` sends all statements before it waits for an answer.
   */
  run<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#inTurn(work) ?? this.#apart(BEGIN, work);
  }

  /**
   * Runs reads as `run` does. They see the store as of one moment: within a turn nobody else changes it. Reads that wait for a connection
   * at the same time share it, and one transaction.
   */
  reading<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#inTurn(work) ?? this.#together(work);
  }

  #inTurn<T>(work: (connection: Connection) => Promise<T>): Promise<T> | undefined {
    const current = this.#current.getStore();
    return current?.isOpen === true ? translating(() => work(current.connection)) : undefined;
  }

  #apart<T>(begin: Statement, work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#repeating(() => this.#using((connection) => this.#inTransaction(connection, begin, work)));
  }

  #together<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.push({ read: work, resolve: resolve as (outcome: unknown) => void, reject });
    // The first of those that wait takes the connection for all.
    if (this.#waiting.length === 1) void this.#readAll();
    return promise;
  }

  /** Runs the reads that wait, as many as may share a transaction. */
  async #readAll(): Promise<void> {
    let reads: readonly WaitingRead[] = [];
    try {
      const outcomes = await this.#apart(BEGIN_READING, (connection) => {
        if (reads.length === 0) {
          reads = this.#waiting.splice(0, MOST_TOGETHER);
          if (this.#waiting.length > 0) void this.#readAll();
        }
        return Promise.all(reads.map(({ read }) => read(connection)));
      });
      for (const [at, { resolve }] of reads.entries()) resolve(outcomes[at]);
    } catch (error) {
      if (reads.length === 0) reads = this.#waiting.splice(0);
      const isOfOne = reads.length > 1 && isOfStatement(isWorkrailError(error) ? error.cause : error);
      // One failed, and with it the transaction of all: each runs again by itself, and gets the error that is its own.
      for (const { read, resolve, reject } of reads) {
        if (isOfOne) this.#apart(BEGIN_READING, read).then(resolve, reject);
        else reject(error);
      }
    }
  }

  /** Runs statements of the tenant, with `BEGIN` and `COMMIT`, in one round trip. */
  async #inTransaction<T>(connection: Connection, begin: Statement, work: (connection: Connection) => Promise<T>): Promise<T> {
    return orRolledBack(connection, async () => {
      const begun = [connection.run(begin), connection.run(this.#settings)];
      const result = work(connection);
      await all([...begun, result, connection.run(COMMIT)]);
      return result;
    });
  }

  async #using<T>(work: (connection: TellingConnection) => Promise<T>): Promise<T> {
    const connection = tellingFirstFailure(await this.#options.database.connect());
    let isBroken = false;
    try {
      return await work(connection);
    } catch (error) {
      // Behind the error of a caller may be one of the connection, which the caller got in another form.
      const cause = error instanceof OfCaller && mayRepeat(connection.firstFailure()) ? connection.firstFailure() : error;
      isBroken = isOfConnection(cause);
      throw cause;
    } finally {
      connection.release(isBroken);
    }
  }

  async #attempt<T>(work: (turn: Turn) => Promise<Ending<T>>): Promise<T> {
    const sent: { commit?: Sent<T> } = {};
    try {
      return await this.#using(async (connection) => {
        const locked = this.#begin(connection);
        return orRolledBack(connection, async () => {
          const ending = await work({ connection, locked });
          // A commit of an aborted transaction rolls back, and succeeds.
          if (connection.firstFailure() !== undefined) throw connection.firstFailure();
          if (ending.hasWritten || ending.writes.length > 0) {
            sent.commit = { ending, transaction: (await locked).transaction };
            await commit(connection, ending.writes);
          } else await connection.run(ROLLBACK);
          return ending.outcome;
        });
      });
    } catch (error) {
      if (sent.commit === undefined || !isOfConnection(error)) throw error;
      if (await this.#isCommitted(sent.commit, error)) return sent.commit.ending.outcome;
      // Nothing was applied: the change is repeated.
      throw error;
    }
  }

  /** Begins a transaction and locks the store. Its statements take one round trip with those that follow. */
  async #begin(connection: Connection): Promise<LockedStore> {
    const [, , [store]] = await Promise.all([
      connection.run(BEGIN),
      connection.run(this.#changeSettings),
      ask(connection, LOCK(this.#options.tenant, {})),
    ]);
    if (store === undefined) throw storeGone();
    return store;
  }

  /**
   * Finds out if a commit without an answer was done. The id of the transaction shows only when it has ended, not how:
   * after a crash the same id may belong to another one.
   *
   * @throws an unknown outcome when the database stays away, or the commit wrote nothing to know it by.
   */
  async #isCommitted({ ending: { evidence }, transaction }: Sent<unknown>, cause: unknown): Promise<boolean> {
    if (evidence === undefined) throw unknownOutcome(cause);
    try {
      return await this.#repeating(() =>
        this.#using(async (connection) => {
          while (await isUnderWay(connection, transaction)) await pause(LOOK_AGAIN_MS);
          return (await this.#inTransaction(connection, BEGIN_READING, () => ask(connection, evidence()))).length > 0;
        }),
      );
    } catch {
      throw unknownOutcome(cause);
    }
  }

  /** Repeats work that ended because of a lost connection, another transaction or a statement that is no longer kept. */
  async #repeating<T>(work: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#options.retryMs;
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, LONGEST_DELAY_MS)) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof OfCaller) throw error.cause;
        if (!mayRepeat(error) || performance.now() > deadline) throw storageError(error);
        // A random part, so that processes do not all come back at once.
        await pause(delayMs * (0.5 + Math.random()));
      }
    }
  }
}

/** True when a transaction that failed with this error changed nothing, and may succeed when it is repeated. */
function mayRepeat(error: unknown): boolean {
  return isOfConnection(error) || isOfAnother(error) || error instanceof KeptStatementLost;
}

interface WaitingRead {
  readonly read: (connection: Connection) => Promise<unknown>;
  readonly resolve: (outcome: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Most reads that share a transaction, so that many large blobs come through several connections. */
const MOST_TOGETHER = 16;

/** Commit whose answer is awaited. */
interface Sent<T> {
  readonly ending: Ending<T>;
  readonly transaction: string;
}

/** Carries an error of the caller's own code through a turn, which it ends. */
export class OfCaller extends Error {
  constructor(cause: unknown) {
    super("The caller's part of the turn failed.", { cause });
  }
}

const FIRST_DELAY_MS = 20;
const LONGEST_DELAY_MS = 500;
const LOOK_AGAIN_MS = 50;

const BEGIN = plain("begin isolation level read committed read write");
const BEGIN_READING = plain("begin isolation level repeatable read read only");
const COMMIT = plain("commit");
const ROLLBACK = plain("rollback");

function plain(text: string): Statement {
  return { sql: text, parameters: [] };
}

/**
 * Names the tenant, whose rows alone the transaction sees, and sets limits in milliseconds. For this transaction alone: behind a pool of
 * transactions, the next one belongs to another process.
 */
function settings(tenant: string, limits: Readonly<Record<string, number>> = {}): Statement {
  const calls = Object.entries(limits).map(([name, ms]) => `set_config('${name}', '${Math.ceil(ms)}', true)`);
  const text = `select ${["set_config('workrail.tenant', $1, true)", ...calls].join(", ")}`;
  return { sql: text, parameters: [storedText(tenant)], name: nameOf(text) };
}

/** Locks the row of the tenant. `alone_by` counts only while its lease lasts. */
function lockQuery(tenant: string): Query<LockedStore> {
  return builder
    .selectFrom("store")
    .select([
      "last_commit",
      sql<string | null>`case when alone_until > clock_timestamp() then alone_by end`.as("alone_by"),
      sql<string>`pg_current_xact_id()::text`.as("transaction"),
    ])
    .where("tenant_id", "=", tenant)
    .forNoKeyUpdate();
}

const LOCK = prepared(lockQuery);

/** Sends statements and the commit at once. When a statement fails, the commit does not run. */
async function commit(connection: Connection, writes: readonly Query<unknown>[]): Promise<void> {
  await all([...writes.map((query) => ask(connection, query)), connection.run(COMMIT)]);
}

/** Waits for all, so that no statement is under way when the connection is given back. Rejects with the first failure. */
export async function all(works: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === "rejected");
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
}

async function orRolledBack<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Where this fails too, the connection is lost, and the database rolls back by itself.
    if (!isOfConnection(error)) await connection.run(ROLLBACK).catch(() => undefined);
    throw error;
  }
}

/** False when the database does not know the transaction: it crashed before the transaction left a trace. */
async function isUnderWay(connection: Connection, transaction: string): Promise<boolean> {
  try {
    const [row] = await connection.run<{ readonly status: string }>({
      sql: "select pg_xact_status($1::text::xid8) as status",
      parameters: [transaction],
    });
    return row?.status === "in progress";
  } catch (error) {
    if (isOfStatement(error)) return false;
    throw error;
  }
}

interface TellingConnection extends Connection {
  /** Error of the first statement that failed; `undefined` when none did. */
  firstFailure(): unknown;
}

/**
 * Statements that were sent together with one that failed fail too, because the transaction is aborted. Their callers get the error of the
 * first one, which tells if the transaction may be repeated.
 */
function tellingFirstFailure(connection: Connection): TellingConnection {
  let first: unknown;
  return {
    firstFailure: () => first,
    async run<Row>(statement: Statement<Row>): Promise<readonly Row[]> {
      try {
        return await connection.run(statement);
      } catch (error) {
        first = isAborted(error) ? (first ?? error) : error;
        throw first;
      }
    },
    release: (isBroken) => connection.release(isBroken),
  };
}

function storeGone(): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", "The row of the store is gone from the database.", {
    details: { reason: "catalog-lost" },
    hint: "Open the store again, and run `workrail rebuild`: the checkpoints' blobs hold all that is needed.",
  });
}
