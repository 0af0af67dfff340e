import { WorkrailError } from "@workrail/core";
import { Pool, type PoolClient } from "pg";
import { Batch, type Call, PARSERS } from "./batch.ts";
import { type Keeping, KeptStatements } from "./kept-statements.ts";
import type { Connection, Database, Statement } from "./sql-connection.ts";

export interface PoolOptions {
  /** `postgres://user:password@host:port/database?sslmode=require`. */
  readonly url: string;
  /** Most connections of this process. */
  readonly maxConnections: number;
  /** Longest time to wait for a connection, and for a free one. Default 10,000. */
  readonly connectMs?: number;
  /** Longest time to wait for an answer. Afterwards the connection counts as lost. 0: no limit. Default 60,000. */
  readonly answerMs?: number;
}

/** Opens a pool of connections. Connects when a connection is needed. */
export function openPool({ url, maxConnections, connectMs = 10_000, answerMs = 60_000 }: PoolOptions): Pool {
  checkUrl(url);
  const pool = new Pool({
    connectionString: url,
    max: maxConnections,
    application_name: "workrail",
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    types: PARSERS,
  });
  // The pool drops an idle connection that fails. The next caller gets another one.
  pool.on("error", ignore);
  // A lost connection fails the statements that are under way. Without a listener the error would end the process.
  pool.on("connect", (client) => client.on("error", ignore));
  return pool;
}

/** The text of a URL is kept out of errors: it has a password. */
function checkUrl(url: string): void {
  if (/^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url)) return;
  throw new WorkrailError("INVALID_INPUT", "The URL of the store is not one of PostgreSQL.", {
    details: { field: "store" },
    hint: "Give it as postgres://user:password@host:5432/database, with special characters of the password percent-encoded.",
  });
}

/** Connections of a pool. */
export function pgDatabase(pool: Pool): Database {
  const keeping: Keeping = { isOn: true };
  const kept = new WeakMap<PoolClient, KeptStatements>();
  let ending: Promise<void> | undefined;
  return {
    async connect() {
      const client = await pool.connect();
      const statements = kept.get(client) ?? new KeptStatements(keeping);
      kept.set(client, statements);
      return new PgConnection(client, statements);
    },
    close: () => (ending ??= pool.end()),
  };
}

class PgConnection implements Connection {
  readonly #client: PoolClient;
  readonly #kept: KeptStatements;
  /** Calls of the batch that is sent next. */
  #calls: Call[] = [];

  constructor(client: PoolClient, kept: KeptStatements) {
    this.#client = client;
    this.#kept = kept;
  }

  run<Row>(statement: Statement<Row>): Promise<readonly Row[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Row[]>();
    this.#calls.push({ statement, resolve: resolve as Call["resolve"], reject });
    if (this.#calls.length === 1) setImmediate(() => this.#send());
    return promise;
  }

  #send(): void {
    const batch = new Batch(this.#calls, this.#kept);
    this.#calls = [];
    this.#client.query(batch);
  }

  /** Closes a connection within a transaction, or with statements that were not sent: they would become part of the next caller's work. */
  release(isBroken: boolean): void {
    const isIdle = this.#calls.length === 0 && this.#client.getTransactionStatus() === "I" && !this.#client.connection.stream.destroyed;
    this.#client.release(isBroken || !isIdle);
  }
}

function ignore(): void {}
