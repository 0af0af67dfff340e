import { noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import { migrateStore, openWorkrail } from "@workrail/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServerProcess, TestHome } from "./testing/server-process.ts";

const SAVE = "workflow_checkpoint_save";
const missing = noPostgres();

describe.skipIf(missing !== undefined)(`servers on one database${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let database: PostgresServer;

  beforeAll(async () => {
    database = await startPostgres({ isDurable: true });
    await migrateStore({ store: database.url() });
  });
  afterAll(() => database.destroy());

  it("save to one session: nothing is lost or reordered when one is killed, and when the database is", async () => {
    await using one = await TestHome.create();
    await using other = await TestHome.create();
    const env = { WORKRAIL_STORE: database.url() };
    const victim = await ServerProcess.start({ home: one, env });
    await using survivor = await ServerProcess.start({ home: other, env });
    const saved: string[] = [];
    const save = async (server: ServerProcess, step: number, by: string): Promise<void> => {
      saved.push(String((await server.ok(SAVE, { sessionId: "shared", context: { step, by } }))["checkpointId"]));
    };
    for (let step = 1; step <= 4; step++) await Promise.all([save(victim, step, "victim"), save(survivor, step, "survivor")]);
    const cutOff = save(victim, 5, "victim").catch(() => undefined);
    await victim.kill();
    await cutOff;
    await save(survivor, 5, "survivor");
    const meanwhile = save(survivor, 6, "survivor");
    await database.kill();
    await database.start();
    await meanwhile;
    await save(survivor, 7, "survivor");

    await using store = await openWorkrail({ store: database.url(), env: { WORKRAIL_DATA_DIR: other.dataDir }, upkeep: false });
    const listed = await store.listCheckpoints({ sessionId: "shared" });
    expect(listed.map(({ sequence }) => sequence).toReversed()).toEqual(listed.map((_, index) => index + 1));
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(saved));
    // The save that the kill cut off may be there.
    expect(listed.length - saved.length).toBeLessThanOrEqual(1);
    expect((await store.verifyAuditLog()).findings).toEqual([]);
  });
});
