import { randomUUID } from "node:crypto";
import { CONTEXTS } from "@workrail/blob-files";
import { invalidInput, type Log, ProcessLocking, runAll, type Storage } from "@workrail/core";
import { ask } from "./ask.ts";
import { DatabaseClock } from "./database-clock.ts";
import { expectSchema } from "./migrate.ts";
import { PostgresBlobStore } from "./postgres-blob-store.ts";
import { PostgresCatalog } from "./postgres-catalog.ts";
import { PostgresJobs } from "./postgres-jobs.ts";
import { PostgresKeyFiles } from "./postgres-key-files.ts";
import { PostgresLocking } from "./postgres-locking.ts";
import { PostgresSearch } from "./postgres-search.ts";
import { builder, type Query } from "./queries/query-builder.ts";
import { sharedPool } from "./shared-pool.ts";
import { silentLog } from "./silent-log.ts";
import type { Database } from "./sql-connection.ts";
import { translating } from "./storage-errors.ts";
import { Transactions } from "./transactions.ts";

export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database`. */
  readonly url: string;
  /** Tenant of the store: the connection sees only its rows, unless the user is a superuser or has BYPASSRLS. Default `default`. */
  readonly tenant?: string | undefined;
  /** Most connections of this process to this URL, shared by all storages with the same URL and maximum. Default 5. */
  readonly maxConnections?: number;
  /** Longest time that a change waits for other processes. Default 5,000. */
  readonly lockWaitMs?: number;
  /** Longest time to retry after a lost connection. Default 5,000. */
  readonly retryMs?: number;
  /** Time until the lease of a dead process expires. Default 15,000. */
  readonly leaseMs?: number;
  /** True to write nothing, not even that the store is open, so exclusive work does not wait for this opener. Default `false`. */
  readonly isForReading?: boolean;
  /** Default: silent. */
  readonly log?: Log;
}

/** Tenant of a store without tenants. */
export const DEFAULT_TENANT = "default";

/** Time after which the database ends a transaction whose process is silent. */
const SILENCE_MS = 60_000;

/**
 * Opens a storage in a PostgreSQL database. Several processes may have it open.
 *
 * @throws INVALID_INPUT for a broken URL and an empty tenant; UNSUPPORTED_VERSION when the database has no tables, or those of another
 * version; STORE_IN_USE; STORAGE_UNAVAILABLE.
 */
export async function openPostgres({ url, maxConnections = 5, ...options }: PostgresOptions): Promise<Storage> {
  return openOver(sharedPool({ url, maxConnections }), options);
}

/** `openPostgres` over a database, which is closed with the storage. */
export async function openOver(database: Database, options: Omit<PostgresOptions, "url" | "maxConnections"> = {}): Promise<Storage> {
  try {
    return await translating(() => open(database, options));
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function open(database: Database, options: Omit<PostgresOptions, "url" | "maxConnections">): Promise<Storage> {
  const { tenant = DEFAULT_TENANT, lockWaitMs = 5_000, retryMs = 5_000, leaseMs = 15_000, isForReading = false, log = silentLog } = options;
  if (tenant === "") throw invalidInput("tenant", "The tenant is empty.", "Name one, or leave it out for the tenant `default`.");
  const clock = new DatabaseClock();
  await prepare(database, clock);
  const opener = randomUUID();
  const transactions = new Transactions({ database, tenant, lockWaitMs, retryMs, silenceMs: SILENCE_MS });
  const row = builder.selectFrom("store").select("names_sessions").where("tenant_id", "=", tenant);
  const [, [store]] = isForReading
    ? [undefined, await transactions.reading((connection) => ask(connection, row))]
    : await transactions.run((connection) => Promise.all([ask(connection, storeInsertion(tenant)), ask(connection, row)]));
  const namesSessions = store?.names_sessions ?? true;
  const lease = isForReading ? undefined : await PostgresLocking.open({ tenant, transactions, opener, leaseMs, clock, log });
  const catalog = new PostgresCatalog({ tenant, transactions, opener });
  const jobs = new PostgresJobs({ tenant, transactions, opener, leaseMs, log });
  let closing: Promise<void> | undefined;
  return {
    durability: "disk",
    mode: "postgres",
    warnings: [],
    clock,
    catalog,
    recovery: catalog,
    blobs: new PostgresBlobStore(tenant, transactions, namesSessions),
    ...(namesSessions ? { keyFiles: new PostgresKeyFiles(tenant, transactions) } : {}),
    locking: lease ?? new ProcessLocking(),
    // A reader writes nothing, not even an index.
    ...(isForReading ? {} : { search: new PostgresSearch(tenant, transactions), claimJob: (job, work) => jobs.claim(job, work) }),
    close: () => (closing ??= runAll([() => transactions.settled(), async () => lease?.close(), () => database.close()])),
  };
}

/** Checks the schema and sets the clock, which belong to no tenant. */
async function prepare(database: Database, clock: DatabaseClock): Promise<void> {
  const connection = await database.connect();
  let isBroken = true;
  try {
    // In this order: what is sent after a statement that fails does not run.
    await Promise.all([clock.set(connection), expectSchema(connection)]);
    isBroken = false;
  } finally {
    connection.release(isBroken);
  }
}

/** Inserts the row of a tenant that has none, and only then looks at its blobs. A tenant with blobs and without a row has lost its catalog. */
function storeInsertion(tenant: string): Query<unknown> {
  const blobs = builder.selectFrom("blob").select("ref").where("tenant_id", "=", tenant);
  const own = builder.selectFrom("store").select("tenant_id").where("tenant_id", "=", tenant);
  const otherBlobs = blobs.where("ref", "not like", `${CONTEXTS}/%`);
  return builder
    .insertInto("store")
    .columns(["tenant_id", "is_whole", "names_sessions"])
    .expression(
      builder
        .selectNoFrom((eb) => [
          eb.val(tenant).as("tenant_id"),
          eb.not(eb.exists(blobs as never)).as("is_whole"),
          eb.not(eb.exists(otherBlobs as never)).as("names_sessions"),
        ])
        .where((eb) => eb.not(eb.exists(own as never))) as never,
    )
    .onConflict((conflict) => conflict.doNothing());
}
