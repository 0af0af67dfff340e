import { noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import { migrate } from "@workrail/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPool, pgDatabase } from "../src/pg-database.ts";

const missing = noPostgres();

describe.skipIf(missing !== undefined)(`a migration${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
  });
  afterAll(() => server.destroy());

  it("fails when the database is killed, and is done by the next try", async () => {
    const database = pgDatabase(openPool({ url: server.url(), maxConnections: 2 }));
    const [holder, watcher] = await Promise.all([database.connect(), database.connect()]);
    await holder.run({ sql: "begin", parameters: [] });
    await holder.run({ sql: "create schema workrail", parameters: [] });
    const failed = migrate(server.url()).catch((error: unknown) => error);
    const waiting = { sql: "select 1 from pg_stat_activity where wait_event_type = 'Lock'", parameters: [] };
    await expect.poll(() => watcher.run(waiting), { timeout: 20_000 }).toHaveLength(1);
    await server.kill();
    expect(await failed).toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    for (const connection of [holder, watcher]) connection.release(true);
    await database.close();
    await server.start();
    expect((await migrate(server.url())).applied.length).toBeGreaterThan(5);
  });
});
