import { randomUUID } from "node:crypto";
import { PGlite } from "@electric-sql/pglite";
import { createTeamDatabase, noPostgres, startPostgres } from "@workrail/faults";
import type { CheckpointId, SessionId, TextOfCheckpoint } from "@workrail/core";
import { migrate, type MigrationReport } from "@workrail/postgres";
import { describeSearch } from "@workrail/storage-conformance";
import { Kysely, PGliteDialect } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrateOver } from "../src/migrate.ts";
import { openPool, pgDatabase } from "../src/pg-database.ts";
import { PostgresSearch } from "../src/postgres-search.ts";
import type { Database } from "../src/sql-connection.ts";
import { Transactions } from "../src/transactions.ts";
import { bareDatabase, runOn } from "./bare-database.ts";
import { pgliteDatabase } from "./pglite-database.ts";
import { WITHOUT_BLOCKS } from "./without-blocks.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

/** An empty index: that of a tenant of its own. */
function indexOver(database: Database): PostgresSearch {
  const tenant = randomUUID();
  return new PostgresSearch(tenant, new Transactions({ database, tenant, lockWaitMs: 5_000, retryMs: 5_000, silenceMs: 60_000 }));
}

/** A migrated database. */
interface Made {
  readonly database: Database;
  /** Connection that sees and may do everything. */
  readonly admin: Database;
  migrate(): Promise<MigrationReport>;
  close(): Promise<unknown>;
}

/** Tests the index in a database. */
function describeIndex(name: string, make: () => Promise<Made>): void {
  let made: Made;
  beforeAll(async () => {
    made = await make();
  });
  afterAll(() => made.close());

  describeSearch({ name, open: async () => indexOver(made.database) });

  it("forgets the words of removed texts when it is tidied", async () => {
    const index = indexOver(made.database);
    const words = async (): Promise<unknown> => {
      const sql = "select term from workrail.search_word where term like 'q%' order by term";
      return (await runOn<{ readonly term: string }>(made.admin, sql)).map(({ term }) => term);
    };
    const sessionId = "session" as SessionId;
    const put = async (remove: readonly string[], add: readonly TextOfCheckpoint[]): Promise<void> => {
      const { version } = await index.indexed(sessionId);
      const change = { sessionId, version, remove: remove as CheckpointId[], add, sessionTags: [], isDone: true };
      expect(await index.update(change)).toBe(true);
    };
    const many = Array.from({ length: 1_200 }, (_, number) => `q${number}`);
    await put([], [textOf("one", ["qsecret", "qshared"]), textOf("two", ["qshared", ...many])]);
    await put(["one"], []);
    while (await index.tidy());
    expect(await words()).toEqual([...many, "qshared"].toSorted());
    await put(["two"], []);
    while (await index.tidy());
    expect(await words()).toEqual([]);
  });

  it("finds texts that a version without blocks indexed, after the migration", async () => {
    const index = indexOver(made.database);
    const sessionId = "session" as SessionId;
    const add = ["one", "two"].map((id) => textOf(id, ["b:c", `only${id}`]));
    await index.update({ sessionId, version: 0, remove: [], add, sessionTags: [], isDone: true });
    const find = async (term: string): Promise<readonly string[]> => {
      const matches = await index.match({ terms: [{ term, weight: 1 }], required: [], filter: {} });
      return (await matches.page({ limit: 5, offset: 0 })).map(({ checkpointId }) => checkpointId).toSorted();
    };
    for (const statement of WITHOUT_BLOCKS) await runOn(made.admin, statement);
    await expect(find("b:c")).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    expect(await made.migrate()).toEqual({ applied: ["0010-search-blocks"] });
    expect(await find("b:c")).toEqual(["one", "two"]);
    expect(await find("onlytwo")).toEqual(["two"]);
  });

  it("finds the latest documents with words, in one block of documents and over several", async () => {
    const [tenant, last] = [randomUUID(), 13_000];
    // The words of each document are the divisors of its number.
    const divisors = [1, 2, 3, 7, 50, 4_095, 4_096, 12_999];
    const run = (sql: string, parameters: readonly unknown[]) =>
      runOn<{ readonly found: readonly number[] }>(made.admin, sql, { parameters });
    await run("insert into workrail.search_state (tenant_id, last_document) values ($1, $2)", [tenant, last]);
    await run("insert into workrail.search_word select $1, 'by' || divisor from unnest($2::int[]) as divisor", [tenant, divisors]);
    await run(
      `insert into workrail.search_document select tenant_id, n, 'session', n, n, 0, 2, 'workflow', 0, null, null, null, '{}',
        array(select number || ':' || n / 4096 || ':by' || divisor from unnest($2::int[]) as divisor where n % divisor = 0)
        from workrail.search_state, generate_series(1, last_document) as n where tenant_id = $1`,
      [tenant, divisors],
    );
    const numbers = async (how: "all" | "any" | "beginning", words: readonly string[], [first, end, most]: Range): Promise<unknown> => {
      const sql = `select array_to_json(workrail.search_numbers($1, $2, $3, $4, $5, $6)) as found
        from set_config('workrail.tenant', $7, false)`;
      return (await run(sql, [how, words, first, end, most, true, tenant]))[0]?.found;
    };
    const expected = (meets: (n: number) => boolean, [first, end, most]: Range): readonly number[] =>
      Array.from({ length: last }, (_, at) => last - at)
        .filter((n) => n >= first && n <= end && meets(n))
        .slice(0, most);
    for (const range of RANGES) {
      for (const divisor of divisors)
        expect(await numbers("all", [`by${divisor}`], range)).toEqual(expected((n) => n % divisor === 0, range));
      expect(await numbers("all", ["by3", "by7", "by2"], range)).toEqual(expected((n) => n % 42 === 0, range));
      expect(await numbers("any", ["by50", "by4095"], range)).toEqual(expected((n) => n % 50 === 0 || n % 4_095 === 0, range));
      expect(await numbers("beginning", ["by409"], range)).toEqual(expected((n) => n % 4_095 === 0 || n % 4_096 === 0, range));
      expect(await numbers("all", ["by5"], range)).toEqual([]);
    }
  });
}

type Range = readonly [first: number, last: number, most: number];

const RANGES: readonly Range[] = [
  [0, Number.MAX_SAFE_INTEGER, 500],
  [0, Number.MAX_SAFE_INTEGER, 3],
  [4_000, 8_191, 5_000],
  [4_096, 4_096, 10],
  [12_999, 20_000, 10],
];

function textOf(id: string, terms: readonly string[]): TextOfCheckpoint {
  const about = {
    kind: "workflow",
    createdAt: new Date(0),
    project: undefined,
    agentId: undefined,
    workflowId: undefined,
    tags: [],
  } as const;
  return { checkpointId: id as CheckpointId, sequence: id === "one" ? 1 : 2, previous: 0, terms, stopWords: [], ...about };
}

async function inThisProcess(): Promise<Made> {
  const pglite = await PGlite.create();
  const migrateIt = () => migrateOver(new Kysely({ dialect: new PGliteDialect({ pglite }) }));
  await migrateIt();
  const database = pgliteDatabase(pglite);
  return { database, admin: database, migrate: migrateIt, close: () => pglite.close() };
}

async function onServer(): Promise<Made> {
  const server = await startPostgres({ isDurable: false });
  const { owner, user } = await createTeamDatabase(server);
  await migrate(owner);
  const database = pgDatabase(openPool({ url: user, maxConnections: 4 }));
  const admin = bareDatabase(server.url("team"));
  return {
    database,
    admin,
    migrate: () => migrate(owner),
    async close() {
      await database.close();
      await admin.close();
      await server.destroy();
    },
  };
}

const missing = noPostgres();
/** `npm run test:faults` sets the variable. */
const isInProcess = missing !== undefined || IS_LONG;

describe.skipIf(!isInProcess)(`in this process${isInProcess ? "" : ": not run, a real server runs the same kit"}`, () => {
  describeIndex("PGlite", inThisProcess);
});

describe.skipIf(missing !== undefined)(`a real server${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  describeIndex("PostgreSQL", onServer);
});
