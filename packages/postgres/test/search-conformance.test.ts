import { randomUUID } from "node:crypto";
import { PGlite } from "@electric-sql/pglite";
import { createTeamDatabase, noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import type { CheckpointId, SessionId, TextOfCheckpoint } from "@workrail/core";
import { migrate } from "@workrail/postgres";
import { describeSearch } from "@workrail/storage-conformance";
import { Kysely, PGliteDialect } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrateOver } from "../src/migrate.ts";
import { openPool, pgDatabase } from "../src/pg-database.ts";
import { PostgresSearch } from "../src/postgres-search.ts";
import type { Database } from "../src/sql-connection.ts";
import { Transactions } from "../src/transactions.ts";
import { pgliteDatabase } from "./pglite-database.ts";

/** An empty index: that of a tenant of its own. */
function indexOver(database: Database): PostgresSearch {
  const tenant = randomUUID();
  return new PostgresSearch(tenant, new Transactions({ database, tenant, lockWaitMs: 5_000, retryMs: 5_000, silenceMs: 60_000 }));
}

describe("in this process", () => {
  let pglite: PGlite;
  beforeAll(async () => {
    pglite = await PGlite.create();
    await migrateOver(new Kysely({ dialect: new PGliteDialect({ pglite }) }));
  });
  afterAll(() => pglite.close());

  describeSearch({ name: "PGlite", open: async () => indexOver(pgliteDatabase(pglite)) });

  it("forgets the words of removed texts when it is tidied", async () => {
    const index = indexOver(pgliteDatabase(pglite));
    const words = async (): Promise<unknown> => {
      const { rows } = await pglite.query<{ readonly term: string }>(
        "select term from workrail.search_word where term like 'q%' order by term",
      );
      return rows.map(({ term }) => term);
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
});

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

const missing = noPostgres();

describe.skipIf(missing !== undefined)(`a real server${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let server: PostgresServer;
  let database: Database;
  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    const { owner, user } = await createTeamDatabase(server);
    await migrate(owner);
    database = pgDatabase(openPool({ url: user, maxConnections: 4 }));
  });
  afterAll(async () => {
    await database.close();
    await server.destroy();
  });

  describeSearch({ name: "PostgreSQL", open: async () => indexOver(database) });
});
