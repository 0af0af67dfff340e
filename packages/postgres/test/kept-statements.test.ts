import { randomUUID } from "node:crypto";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { createTeamDatabase, noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import { type ChainedStorage, chained, type SessionId, verifyAudit } from "@workrail/core";
import { migrate } from "@workrail/postgres";
import { sha256 } from "@workrail/storage-conformance/harness";
import { array, assert, asyncProperty, constant, integer, oneof, record, string, uint8Array } from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openOver } from "../src/open-postgres.ts";
import { openPool, pgDatabase } from "../src/pg-database.ts";
import type { Connection, Database } from "../src/sql-connection.ts";
import { bareDatabase, runOn } from "./bare-database.ts";
import { puttingAfter, saveRecord } from "./a-record.ts";
import { noPgBouncer, startPgBouncer } from "./pgbouncer.ts";

const missing = noPostgres();

const NAMES = "select name from pg_prepared_statements where name like 'workrail_%'";

describe.skipIf(missing !== undefined)(`statements of a connection${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let server: PostgresServer;
  let url: string;
  let database: Database;
  let storage: ChainedStorage;

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    const { owner, user } = await createTeamDatabase(server);
    url = user;
    await migrate(owner);
    database = bareDatabase(url);
    storage = await openChained(database);
  });
  afterAll(async () => {
    await storage.close();
    await server.destroy();
  });

  const openChained = async (over: Database, tenant = "default"): Promise<ChainedStorage> => {
    return chained(await openOver(over, { tenant }), (text) => sha256.sha256(text));
  };

  /** Uses the storage's only connection. */
  const using = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    const connection = await database.connect();
    try {
      return await work(connection);
    } finally {
      connection.release(false);
    }
  };

  const run = (sql: string, parameters: readonly unknown[] = [], name?: string) => runOn(database, sql, { parameters, name });

  const countsOf = async (on: ChainedStorage, id: SessionId) => {
    const { row } = await on.catalog.read({ row: { of: "session", id } });
    return { count: row?.checkpointCount, last: row?.lastSequence, findings: (await verifyAudit(on)).findings };
  };
  const counts = (saves: number) => ({ count: saves, last: saves, findings: [] });

  const save = async (on: ChainedStorage, session: SessionId): Promise<void> => {
    expect((await saveRecord(on, session, { isTogether: true })).outcome.status).toBe("committed");
  };

  it("are answered up to the first that fails, and those after it do not run", async () => {
    await run("create temporary table seen (number int)");
    const results = await using((connection) =>
      Promise.allSettled(
        ["insert into seen values (1) returning number", "select 1 / 0", "insert into seen values (2)"].map((sql) =>
          connection.run({ sql, parameters: [] }),
        ),
      ),
    );
    expect(results).toMatchObject([
      { status: "fulfilled", value: [{ number: 1 }] },
      { status: "rejected", reason: { code: "22012" } },
      { status: "rejected", reason: { code: "22012" } },
    ]);
    // Without a transaction of their own, statements that are sent together are one.
    expect(await run("select * from seen")).toEqual([]);
    await run("drop table seen");
  });

  it("get parameters of any text, and lists of them", async () => {
    const text = string({ unit: "grapheme" }).map((each) => each.replaceAll("\0", ""));
    const values = record({ one: text, some: array(oneof(text, constant(null))), numbers: array(integer()), bytes: uint8Array() });
    const at = new Date(1_700_000_000_123);
    const query = `select $1::text as one, $2::text[] as some, $3::bigint[]::text as numbers, $4::bytea as bytes,
      $5::boolean as yes, $6::timestamptz as at, $7::text as none`;
    await assert(
      asyncProperty(values, async ({ one, some, numbers, bytes }) => {
        const [row] = await run(query, [one, some, numbers, bytes, true, at, undefined], "a test of parameters");
        expect(row).toEqual({ one, some, numbers: `{${numbers.join()}}`, bytes: Buffer.from(bytes), yes: true, at, none: null });
      }),
    );
  });

  it("get the part of a buffer that a list of bytes shows", async () => {
    const bytes = new Uint8Array([1, 2, 3, 4]).subarray(1, 3);
    expect(await run("select $1::bytea as bytes", [bytes])).toEqual([{ bytes: Buffer.of(2, 3) }]);
  });

  it("that were sent with one that fails are kept when they run the next time", async () => {
    const sent = ["select 1 / $1::int as number", "select 5 + $1::int as number"];
    const together = (value: number) =>
      using((connection) =>
        Promise.allSettled(sent.map((sql, at) => connection.run({ sql, parameters: [value], name: `workrail_together_${at}` }))),
      );
    expect(await together(0)).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
    expect(await together(1)).toMatchObject([{ value: [{ number: 1 }] }, { value: [{ number: 6 }] }]);
    expect(await run(`${NAMES} and name like '%together%'`)).toHaveLength(2);
  });

  it("are kept for saves, and planned again after 500 uses", async () => {
    const session = randomUUID() as SessionId;
    await save(storage, session);
    const names = await run(NAMES);
    expect(names.length).toBeGreaterThan(12);
    await save(storage, session);
    expect(await run(NAMES)).toHaveLength(names.length);
    const times = new Set<number>();
    for (let use = 0; use < 502; use++) {
      await run("select $1::int as number", [use], "again");
      if (use % 250 !== 1) continue;
      const [row] = await run("select prepare_time from pg_prepared_statements where name = 'again'");
      times.add((row as { readonly prepare_time: Date }).prepare_time.getTime());
    }
    expect(await run("select $1::int as number", [7], "again")).toEqual([{ number: 7 }]);
    expect(times.size).toBe(2);
  });

  it("are no more than 100 on the server, also when they fail", async () => {
    const own = bareDatabase(url);
    for (let at = 0; at < 110; at++) {
      const failing = runOn(own, `select ${at} / $1::int`, { parameters: [0], name: `failing ${at}` });
      await expect(failing).rejects.toMatchObject({ code: "22012" });
    }
    expect(await runOn(own, "select count(*) as total from pg_prepared_statements")).toEqual([{ total: 100 }]);
    await own.close();
  });

  it("take the place of another program's under their name", async () => {
    await run('prepare "taken" as select 1 as other');
    expect(await run("select 2 as own", [], "taken")).toEqual([{ own: 2 }]);
  });

  it("that no longer fit the tables are sent again, and kept again", async () => {
    const own = bareDatabase(url);
    const other = await openChained(own);
    const session = randomUUID() as SessionId;
    await save(other, session);
    await server.run("team", ["alter table workrail.session alter column tags type text"]);
    await save(other, session);
    await server.run("team", ["alter table workrail.session alter column tags type workrail.word"]);
    await save(other, session);
    expect(await countsOf(other, session)).toEqual(counts(3));
    expect((await runOn(own, NAMES)).length).toBeGreaterThan(10);
    await other.close();
  });

  it("that another program renewed for changed tables give each column its own value", async () => {
    const own = bareDatabase(url);
    const other = await openChained(own);
    const session = randomUUID() as SessionId;
    const read = async () => (await other.catalog.read({ row: { of: "session", id: session } })).row;
    await save(other, session);
    const before = await read();
    expect(await read()).toEqual(before);
    await server.run("team", ["alter table workrail.session drop column pins, add column pins text not null default '[]'"]);
    const ofSession = `${NAMES.replace("name", "name, statement")} and statement like 'select %from "workrail"."session"%'`;
    const [kept] = await runOn<{ readonly name: string; readonly statement: string }>(own, ofSession);
    for (const sql of [`deallocate "${kept?.name}"`, `prepare "${kept?.name}" as ${kept?.statement}`]) {
      await runOn(own, sql);
    }
    expect(await read()).toEqual(before);
    await other.close();
  });

  it("that the server lost before a blob that is put in a round trip of its own are sent again, and nothing is saved twice", async () => {
    const own = bareDatabase(url);
    const other = await openChained(own);
    const session = randomUUID() as SessionId;
    await save(other, session);
    const ofBlobs = `${NAMES} and statement like 'insert into "workrail"."blob"%'`;
    const [kept] = await runOn<{ readonly name: string }>(own, ofBlobs);
    await runOn(own, `deallocate "${kept?.name}"`);
    const late = { catalog: other.catalog, blobs: puttingAfter(yieldToEventLoop, other.blobs) };
    expect((await saveRecord(late, session, { isTogether: true })).outcome.status).toBe("committed");
    expect(await countsOf(other, session)).toEqual(counts(2));
    await other.close();
  });

  it("that the server lost are kept no more", async () => {
    const own = bareDatabase(url);
    const other = await openChained(own);
    const session = randomUUID() as SessionId;
    await save(other, session);
    await runOn(own, "deallocate all");
    await save(other, session);
    expect(await runOn(own, NAMES)).toEqual([]);
    expect(await countsOf(other, session)).toEqual(counts(2));
    await other.close();
  });

  it("of a save are sent again, whichever of them the server lost", async () => {
    const names = (await run(NAMES)) as readonly { readonly name: string }[];
    for (const { name } of names) {
      const own = bareDatabase(url);
      const other = await openChained(own, name);
      const session = randomUUID() as SessionId;
      await save(other, session);
      const kept = await runOn(own, `${NAMES} and name = $1`, { parameters: [name] });
      if (kept.length > 0) await runOn(own, `deallocate "${name}"`);
      await save(other, session);
      expect({ name, ...(await countsOf(other, session)) }).toEqual({ name, ...counts(2) });
      await other.close();
    }
    expect(names.length).toBeGreaterThan(10);
  });

  it("that several connections lost at once fail none of their changes", async () => {
    const own = pgDatabase(openPool({ url, maxConnections: 2 }));
    const stores = [await openChained(own, "one"), await openChained(own, "other")];
    const session = randomUUID() as SessionId;
    const saveAll = () => Promise.all(stores.map((store) => save(store, session)));
    await saveAll();
    const connections = [await own.connect(), await own.connect()];
    for (const connection of connections) {
      await connection.run({ sql: "deallocate all", parameters: [] });
      connection.release(false);
    }
    await saveAll();
    expect(await Promise.all(stores.map((store) => countsOf(store, session)))).toEqual([counts(2), counts(2)]);
    for (const store of stores) await store.close();
  });

  const noBouncer = noPgBouncer();
  it.skipIf(noBouncer !== undefined)(
    `are not kept behind a pool of transactions that does not know them${noBouncer === undefined ? "" : `: not run, ${noBouncer}`}`,
    async () => {
      const bouncer = await startPgBouncer(url, { connections: 3 });
      try {
        const openers = await Promise.all(
          Array.from({ length: 4 }, () => openChained(pgDatabase(openPool({ url: bouncer.url, maxConnections: 5 })), "pooled")),
        );
        const session = randomUUID() as SessionId;
        await Promise.all(
          openers.map(async (opener) => {
            for (let time = 0; time < 25; time++) await save(opener, session);
          }),
        );
        expect(await countsOf(openers[0] as ChainedStorage, session)).toEqual(counts(100));
        await Promise.all(openers.map((opener) => opener.close()));
      } finally {
        await bouncer.stop();
      }
    },
    60_000,
  );
});
