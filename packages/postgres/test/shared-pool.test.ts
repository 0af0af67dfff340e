import { noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import { migrate, openPostgres } from "@workrail/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPool } from "../src/pg-database.ts";

const missing = noPostgres();

describe.skipIf(missing !== undefined)(`stores of one database${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    await server.createDatabase("shared");
    await migrate(server.url("shared"));
  });
  afterAll(() => server.destroy());

  it("share the connections of their process, and the last one that is closed ends them", async () => {
    const url = server.url("shared");
    const tenants = Array.from({ length: 12 }, (_, index) => `tenant ${index}`);
    const storages = await Promise.all(tenants.map((tenant) => openPostgres({ url, tenant, maxConnections: 3 })));
    const read = { totals: { of: "totals" } } as const;
    await Promise.all(storages.map(({ catalog }) => catalog.read(read)));
    const pool = openPool({ url: server.url(), maxConnections: 1 });
    const count = async (): Promise<number> => {
      const { rows } = await pool.query<{ readonly count: number }>("select count(*) from pg_stat_activity where datname = 'shared'");
      return rows[0]?.count ?? 0;
    };
    try {
      expect(await count()).toBeLessThanOrEqual(3);
      const [first, ...others] = storages;
      for (const each of others) await each.close();
      await others[0]?.close();
      expect((await first?.catalog.read(read))?.totals.checkpoints).toBe(0);
      await first?.close();
      await expect.poll(count).toBe(0);
    } finally {
      await pool.end();
    }
  });
});
