import { WorkrailError } from "@workrail/core";
import { Pool, type PoolClient, type QueryResultRow, TypeOverrides, types } from "pg";
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
    types: parsers,
    // Sends statements without waiting for the answers to earlier ones.
    ...PIPELINE,
  });
  // The pool drops an idle connection that fails. The next caller gets another one.
  pool.on("error", ignore);
  // A lost connection fails the statements that are under way. Without a listener the error would end the process.
  pool.on("connect", (client) => client.on("error", ignore));
  return pool;
}

const PIPELINE = { pipeline: true };

/** The text of a URL is kept out of errors: it has a password. */
function checkUrl(url: string): void {
  if (/^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url)) return;
  throw new WorkrailError("INVALID_INPUT", "The URL of the store is not one of PostgreSQL.", {
    details: { field: "store" },
    hint: "Give it as postgres://user:password@host:5432/database, with special characters of the password percent-encoded.",
  });
}

/** Parsers of the driver, but for whole numbers of 8 bytes: they are numbers here, for none exceeds 2^53. */
const parsers = new TypeOverrides();
parsers.setTypeParser(types.builtins.INT8, Number);

/** Connections of a pool. */
export function pgDatabase(pool: Pool): Database {
  let ending: Promise<void> | undefined;
  return {
    connect: async () => new PgConnection(await pool.connect()),
    close: () => (ending ??= pool.end()),
  };
}

class PgConnection implements Connection {
  readonly #client: PoolClient;
  #isHeldBack = false;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async run<Row>({ sql, parameters }: Statement<Row>): Promise<readonly Row[]> {
    this.#holdBack();
    const { rows } = await this.#client.query<Row & QueryResultRow>(sql, parameters as unknown[]);
    return rows;
  }

  /** Sends the statements of a round trip together: with a system call for each, both sides wake up for each. */
  #holdBack(): void {
    if (this.#isHeldBack) return;
    const { stream } = this.#client.connection;
    this.#isHeldBack = true;
    stream.cork();
    setImmediate(() => {
      this.#isHeldBack = false;
      stream.uncork();
    });
  }

  release(isBroken: boolean): void {
    this.#client.release(isBroken);
  }
}

function ignore(): void {}
