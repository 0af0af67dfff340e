import { runFinally, WorkrailError } from "@workrail/core";
import { Kysely, PostgresDialect, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { initial } from "./migrations/0001-initial.ts";
import { rowSecurity } from "./migrations/0002-row-security.ts";
import { search } from "./migrations/0004-search.ts";
import { auditSubject } from "./migrations/0005-audit-subject.ts";
import { keys } from "./migrations/0006-keys.ts";
import { tenantNames } from "./migrations/0007-tenant-names.ts";
import { jobs } from "./migrations/0008-jobs.ts";
import { attributes } from "./migrations/0009-attributes.ts";
import { searchBlocks } from "./migrations/0010-search-blocks.ts";
import { openPool } from "./pg-database.ts";
import { SCHEMA } from "./schema.ts";
import type { Connection } from "./sql-connection.ts";
import { codeOf, translating } from "./storage-errors.ts";

/** Migrations by name, in their order. The last one is the schema of this version. */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  "0001-initial": initial,
  "0002-row-security": rowSecurity,
  "0004-search": search,
  "0005-audit-subject": auditSubject,
  "0006-keys": keys,
  "0007-tenant-names": tenantNames,
  "0008-jobs": jobs,
  "0009-attributes": attributes,
  "0010-search-blocks": searchBlocks,
};

const NAMES = Object.keys(MIGRATIONS);

export interface MigrationReport {
  /** Names of the migrations that were applied now. */
  readonly applied: readonly string[];
}

/**
 * Brings the schema of a database to this version. Concurrent calls wait for each other by a lock of the session: the URL must lead to
 * the database itself, not to a pool of transactions. The role must be allowed to create a schema.
 *
 * @throws UNSUPPORTED_VERSION when the schema is newer.
 */
export async function migrate(url: string): Promise<MigrationReport> {
  // A large table is rewritten in one statement.
  const pool = openPool({ url, maxConnections: 2, answerMs: 0 });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  return translating(() =>
    runFinally(
      () => migrateOver(db),
      () => db.destroy(),
    ),
  );
}

/** `migrate` over a database that is open, and stays so. */
export async function migrateOver(db: Kysely<unknown>): Promise<MigrationReport> {
  expectNoNewer(await appliedNames(async (statement) => (await sql.raw<Name>(statement).execute(db)).rows));
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS }, migrationTableSchema: SCHEMA });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  return { applied: results.map(({ migrationName }) => migrationName) };
}

/**
 * Checks that a database has the schema of this version.
 *
 * @throws UNSUPPORTED_VERSION when it has none, an older or a newer one.
 */
export async function expectSchema(connection: Connection): Promise<void> {
  const applied = await appliedNames((statement) => connection.run<Name>({ sql: statement, parameters: [] }));
  expectNoNewer(applied);
  if (applied.length === NAMES.length) return;
  const what = applied.length === 0 ? "has no tables of Workrail" : "has the tables of an older version of Workrail";
  throw new WorkrailError("UNSUPPORTED_VERSION", `The database ${what}.`, {
    details: { reason: "schema-older", missing: NAMES.filter((name) => !applied.includes(name)) },
    hint: "Run `workrail migrate` with the URL of the database itself, then try again.",
  });
}

interface Name {
  readonly name: string;
}

/** Names of the migrations that a database has. None without the table of migrations. */
async function appliedNames(run: (statement: string) => Promise<readonly Name[]>): Promise<readonly string[]> {
  try {
    return (await run(`select name from ${SCHEMA}.kysely_migration order by name`)).map(({ name }) => name);
  } catch (error) {
    if (["42P01", "3F000"].includes(codeOf(error) ?? "")) return [];
    throw error;
  }
}

function expectNoNewer(applied: readonly string[]): void {
  const unknown = applied.filter((name) => !NAMES.includes(name));
  if (unknown.length === 0) return;
  throw new WorkrailError("UNSUPPORTED_VERSION", "The database has the tables of a newer version of Workrail.", {
    details: { reason: "schema-newer", unknown },
    hint: "Update Workrail here: an older version must not change what a newer one wrote.",
  });
}
