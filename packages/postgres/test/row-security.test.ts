import { createTeamDatabase, noPostgres, type PostgresServer, startPostgres, type TeamDatabase } from "@workrail/faults";
import { type ChainedStorage, chained, type SessionId } from "@workrail/core";
import { listTenants, migrate, openPostgres } from "@workrail/postgres";
import { sha256 } from "@workrail/storage-conformance/harness";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openOver } from "../src/open-postgres.ts";
import { openPool, pgDatabase } from "../src/pg-database.ts";
import type { Connection, Database } from "../src/sql-connection.ts";
import { saveRecord } from "./a-record.ts";
import { WITHOUT_BLOCKS } from "./without-blocks.ts";

const missing = noPostgres();
const session = "the same session" as SessionId;
const [one, other, odd] = ["it's one", "other", "\u0000 and \ud83e"];

describe.skipIf(missing !== undefined)(`row-level security${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let server: PostgresServer;
  let team: TeamDatabase;
  const databases = new Map<string, Database>();

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    team = await createTeamDatabase(server);
    await migrate(team.owner);
    for (const url of [team.owner, team.user, server.url("team")]) databases.set(url, pgDatabase(openPool({ url, maxConnections: 1 })));
    for (const tenant of [one, other, other, odd]) await using(tenant, (storage) => saveRecord(storage, session));
  });
  afterAll(async () => {
    for (const database of databases.values()) await database.close();
    await server.destroy();
  });

  /** Opens a storage over the one connection of the user, which the next tenant gets as a pool of transactions would give it. */
  async function using<T>(tenant: string, work: (storage: ChainedStorage) => Promise<T>, url = team.user): Promise<T> {
    const storage = chained(await openOver({ ...databaseOf(url), close: async () => undefined }, { tenant }), (text) =>
      sha256.sha256(text),
    );
    try {
      return await work(storage);
    } finally {
      await storage.close();
    }
  }

  /** Runs statements as a user, in one transaction that is rolled back. */
  async function as<T>(url: string, tenant: string | undefined, work: (run: Run) => Promise<T>): Promise<T> {
    const connection = await databaseOf(url).connect();
    const run: Run = (sql, parameters = []) => connection.run({ sql, parameters });
    try {
      await run("begin");
      if (tenant !== undefined) await run("select set_config('workrail.tenant', $1, true)", [tenant]);
      return await work(run);
    } finally {
      await run("rollback");
      connection.release(false);
    }
  }

  function databaseOf(url: string): Database {
    return databases.get(url) as Database;
  }

  const tables = (url: string): Promise<readonly string[]> =>
    as(url, undefined, async (run) => {
      const rows = await run(`select relname, relrowsecurity and relforcerowsecurity as forced from pg_class
        where relnamespace = 'workrail'::regnamespace and relkind = 'r' and relname not like 'kysely%' order by relname`);
      // The owner's functions look words up with an index: see the migration.
      expect(rows.filter(({ forced }) => forced !== true).map(({ relname }) => relname)).toEqual(["search_document"]);
      return rows.map(({ relname }) => String(relname));
    });

  const counts = (url: string, tenant: string | undefined): Promise<readonly number[]> =>
    as(url, tenant, async (run) => {
      const found: number[] = [];
      for (const table of await tablesOf(run)) {
        const [row] = await run(`select count(*) as rows from workrail.${table}`);
        found.push(Number(row?.["rows"]));
      }
      return found;
    });

  it("is forced on every table, and shows no row without a tenant, not even to the owner", async () => {
    expect(await tables(team.user)).toHaveLength(21);
    for (const url of [team.user, team.owner]) {
      for (const tenant of [undefined, "", "nobody"]) expect(new Set(await counts(url, tenant))).toEqual(new Set([0]));
      expect(Math.max(...(await counts(url, other)))).toBeGreaterThan(0);
    }
  });

  it("lets the owner's migration index the attributes of every tenant, and rewrite its words", async () => {
    const database = databaseOf(server.url("team"));
    const connection = await database.connect();
    const run: Run = (sql) => connection.run({ sql, parameters: [] });
    for (const tenant of [one, other]) {
      await connection.run({ sql: "insert into workrail.search_state (tenant_id, last_document) values ($1, 9000)", parameters: [tenant] });
    }
    await run(`insert into workrail.search_document select tenant_id, 9000, 'session', 1, 'one', 0, 1, 'workflow', 0, null, null, null, '{}',
      array[number || ':2:b:c'] from workrail.search_state`);
    for (const statement of WITHOUT_BLOCKS) await run(statement);
    await run("drop table workrail.checkpoint_attribute");
    await run("delete from workrail.kysely_migration where name >= '0009'");
    connection.release(false);
    expect(await migrate(team.owner)).toEqual({ applied: ["0009-attributes", "0010-search-blocks"] });
    for (const tenant of [one, other]) {
      const words = await as(team.user, tenant, (search) =>
        search("select workrail.search_numbers('all', '{b:c}', 0, 9999, 9, true) as found"),
      );
      expect(words).toEqual([{ found: ["9000"] }]);
    }
    const where = { state: "live", attributes: { phase: "testing" } } as const;
    const found = (tenant: string) => using(tenant, ({ catalog }) => catalog.read({ found: { of: "count", where } }));
    expect([await found(one), await found(other), await found(odd)]).toEqual([{ found: 1 }, { found: 2 }, { found: 1 }]);
  });

  it("lists the tenants on request, without a row of any other table", async () => {
    expect(await listTenants(team.user)).toEqual([one, other, odd]);
    const listed = await as(team.user, undefined, async (run) => {
      await run("select set_config('workrail.lists_tenants', 'on', true)");
      const found = await Promise.all((await tablesOf(run)).map((table) => run(`select 1 from workrail.${table}`)));
      expect(await run("update workrail.store set live_bytes = 0 returning 1")).toEqual([]);
      expect(await run("delete from workrail.store returning 1")).toEqual([]);
      return found.map((rows) => rows.length).toSorted((a, b) => a - b);
    });
    expect(listed).toEqual([...Array.from({ length: 20 }, () => 0), 3]);
  });

  it("does not limit a superuser", async () => {
    expect(Math.max(...(await counts(server.url("team"), undefined)))).toBeGreaterThan(2);
  });

  it("leaves no tenant behind on a connection", async () => {
    await using(one, (storage) => storage.catalog.read({ totals: { of: "totals" } }));
    const [row] = await as(team.user, undefined, (run) => run("select current_setting('workrail.tenant', true) as tenant"));
    expect(row?.["tenant"] ?? "").toBe("");
  });

  it.each(["user", "owner"] as const)("gives the %s no row of another tenant, whatever a statement asks for", async (who) => {
    const url = team[who];
    await as(url, one, async (run) => {
      for (const table of await tablesOf(run)) {
        if (who === "owner" && table === "search_document") continue;
        expect(await run(`select * from workrail.${table} where tenant_id = $1`, [other])).toEqual([]);
        expect(await run(`select * from workrail.${table} where tenant_id <> current_setting('workrail.tenant')`)).toEqual([]);
        expect(await run(`update workrail.${table} set tenant_id = tenant_id where tenant_id = $1 returning 1`, [other])).toEqual([]);
        expect(await run(`delete from workrail.${table} where tenant_id = $1 returning 1`, [other])).toEqual([]);
      }
    });
    const refused = { code: "42501" };
    const attempt = (sql: string): Promise<unknown> => as(url, other, (run) => run(sql));
    await expect(attempt("insert into workrail.blob values ('victim', 'ref', '')")).rejects.toMatchObject(refused);
    await expect(attempt("insert into workrail.store (tenant_id, is_whole) values ('victim', true)")).rejects.toMatchObject(refused);
    await expect(attempt("update workrail.checkpoint set tenant_id = 'victim'")).rejects.toMatchObject(refused);
    await expect(as(url, undefined, (run) => run("insert into workrail.blob values ('x', 'ref', '')"))).rejects.toMatchObject(refused);
  });

  it("counts the checkpoints of each tenant for itself", async () => {
    const count = (tenant: string, url?: string): Promise<number> =>
      using(tenant, async (storage) => (await storage.catalog.read({ totals: { of: "totals" } })).totals.checkpoints, url);
    expect([await count(one), await count(other), await count(odd), await count("new")]).toEqual([1, 2, 1, 0]);
    expect(await count(other, team.owner)).toBe(2);
  });

  it("lets a tenant save while another one's store is locked", async () => {
    const connection = await databaseOf(server.url("team")).connect();
    const lock: Parameters<Connection["run"]>[0] = {
      sql: "select 1 from workrail.store where tenant_id = $1 for update",
      parameters: [other],
    };
    const storages = await Promise.all(
      [other, "third"].map((tenant) => openPostgres({ url: team.user, tenant, lockWaitMs: 100, maxConnections: 2 })),
    );
    const [locked, free] = storages.map((storage) => chained(storage, (text) => sha256.sha256(text))) as [ChainedStorage, ChainedStorage];
    try {
      await connection.run({ sql: "begin", parameters: [] });
      expect(await connection.run(lock)).toHaveLength(1);
      await expect(saveRecord(locked, session)).rejects.toMatchObject({ code: "LOCK_TIMEOUT" });
      expect((await saveRecord(free, session)).outcome.status).toBe("committed");
    } finally {
      await connection.run({ sql: "rollback", parameters: [] });
      connection.release(false);
      await Promise.all(storages.map((storage) => storage.close()));
    }
  });

  it("separates tenants in each index, so that no lookup depends on other tenants' rows", async () => {
    const first = await as(team.user, undefined, (run) => {
      return run(`select index.relname as name, attribute.attname as first from pg_index
        join pg_class as index on index.oid = indexrelid join pg_attribute as attribute on attribute.attrelid = indexrelid and attnum = 1
        where index.relnamespace = 'workrail'::regnamespace and index.relname not like 'kysely%'`);
    });
    expect(first.length).toBeGreaterThan(30);
    // Words begin with the number of their tenant.
    expect(first.filter((index) => index["first"] !== "tenant_id").map(({ name }) => name)).toEqual(["search_document_by_word"]);
  });

  it("looks up a key of many by the index", async () => {
    await server.run("team", [
      "insert into workrail.blob select 'many', 'ref ' || number, '' from generate_series(1, 5000) number",
      "analyze workrail.blob",
    ]);
    const plan = await as(team.user, "many", (run) => {
      return run("explain select bytes from workrail.blob where tenant_id = $1 and ref = $2", ["many", "ref 7"]);
    });
    expect(JSON.stringify(plan)).toMatch(/Index Cond: [^}]*ref[^}]*= 'ref 7'/u);
  });

  it("finds words by the index, and only words of its own tenant", async () => {
    await server.run("team", [
      "insert into workrail.search_state (tenant_id, last_document) values ('words', 5000), ('spy', 5000)",
      `insert into workrail.search_document select tenant_id, place, 'session', place, place, 0, 2, 'workflow', 0, null, null, null, '{}',
        array[number || ':' || place / 4096 || ':every',
          number || ':' || place / 4096 || ':' || case when place % 1000 = 0 then 'rare' else 'usual' || place end]
        from workrail.search_state, generate_series(1, 5000) as place where tenant_id = 'words'`,
      "analyze workrail.search_document",
    ]);
    const numbers = (tenant: string, word: string, url = team.user): Promise<unknown> =>
      as(url, tenant, async (run) => {
        // The counters of a connection arrive when its transaction ends, instead of within ten seconds.
        await run("select pg_stat_force_next_flush()");
        return (await run("select workrail.search_numbers('all', $1, 0, 9999, 9, true) as found", [[word]]))[0]?.["found"];
      });
    const scans = async (): Promise<number> => {
      const rows = await as(server.url("team"), undefined, (run) =>
        run("select idx_scan from pg_stat_user_indexes where indexrelname = 'search_document_by_word'"),
      );
      return Number(rows[0]?.["idx_scan"]);
    };
    const before = await scans();
    expect(await numbers("words", "rare")).toEqual(["5000", "4000", "3000", "2000", "1000"]);
    await expect.poll(scans, { timeout: 20_000 }).toBeGreaterThan(before);
    expect(await numbers("words", "every")).toHaveLength(9);
    for (const url of [team.user, team.owner]) expect(await numbers("spy", "rare", url)).toEqual([]);
    expect(await as(team.user, "spy", (run) => run("select 1 from workrail.search_document"))).toEqual([]);
  });

  it("refuses an empty tenant", async () => {
    await expect(openPostgres({ url: team.user, tenant: "" })).rejects.toMatchObject({
      code: "INVALID_INPUT",
      details: { field: "tenant" },
    });
  });
});

type Run = (sql: string, parameters?: readonly unknown[]) => Promise<readonly Readonly<Record<string, unknown>>[]>;

async function tablesOf(run: Run): Promise<readonly string[]> {
  const rows = await run("select table_name from information_schema.columns where table_schema = 'workrail' and column_name = 'tenant_id'");
  return rows.map(({ table_name: name }) => String(name));
}
