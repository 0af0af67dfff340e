import { randomUUID } from "node:crypto";
import { createTeamDatabase, noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import { type BlobRef, type SessionId, WorkrailError } from "@workrail/core";
import { migrate } from "@workrail/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openOver } from "../src/open-postgres.ts";
import { openPool, pgDatabase } from "../src/pg-database.ts";
import type { Connection, Database } from "../src/sql-connection.ts";
import { runOn } from "./bare-database.ts";
import { puttingAfter, saveRecord } from "./a-record.ts";

const missing = noPostgres();

const MARK = "select set_config('workrail.tenant', 'marked', false)";
const MARKED = "select current_setting('workrail.tenant', true) = 'marked' as yes";

describe.skipIf(missing !== undefined)(`a connection that is given back${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let server: PostgresServer;
  let team: { readonly owner: string; readonly user: string };

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    team = await createTeamDatabase(server);
    await migrate(team.owner);
  });
  afterAll(() => server.destroy());

  const open = (url: string, answerMs = 60_000): Database => pgDatabase(openPool({ url, maxConnections: 1, answerMs }));
  const run = (connection: Connection, sql: string, parameters: readonly unknown[] = []) => connection.run({ sql, parameters });

  it("while an answer to a blob is late is closed, and the next save commits nothing of the one that failed", async () => {
    const database = open(team.user, 500);
    const storage = await openOver(database, { retryMs: 0 });
    const session = randomUUID() as SessionId;
    const holder = open(team.owner);
    const other = await holder.connect();
    const hold = async (): Promise<void> => {
      await run(other, "begin");
      await run(other, "lock table workrail.blob in share mode");
    };
    const late = { catalog: storage.catalog, blobs: puttingAfter(hold, storage.blobs) };
    await expect(saveRecord(late, session, { isTogether: true })).rejects.toBeInstanceOf(WorkrailError);
    await run(other, "rollback");
    other.release(false);
    const { id, outcome } = await saveRecord(storage, session, { isTogether: true });
    expect(outcome.status).toBe("committed");
    const refs: BlobRef[] = [];
    for await (const { ref } of storage.blobs.list()) refs.push(ref);
    expect(refs).toEqual([storage.blobs.refOf({ sessionId: session, checkpointId: id })]);
    await holder.close();
    await storage.close();
  });

  it("within a transaction is closed", async () => {
    const database = open(team.user);
    const connection = await database.connect();
    await Promise.all([run(connection, "begin"), run(connection, MARK)]);
    connection.release(false);
    expect(await runOn(database, MARKED)).not.toEqual([{ yes: true }]);
    await database.close();
  });

  it("before its statements were sent is closed, and does not run them", async () => {
    const database = open(team.user);
    const connection = await database.connect();
    const marking = run(connection, MARK).catch(() => "not run");
    connection.release(false);
    expect(await marking).toBe("not run");
    expect(await runOn(database, MARKED)).not.toEqual([{ yes: true }]);
    await database.close();
  });

  it("outside of a transaction is used again", async () => {
    const database = open(team.user);
    await runOn(database, MARK);
    expect(await runOn(database, MARKED)).toEqual([{ yes: true }]);
    await database.close();
  });

  it("after a parameter that cannot be sent is closed, and none of its statements ran", async () => {
    const database = open(team.user, 2_000);
    const connection = await database.connect();
    const results = await Promise.allSettled([run(connection, "select 1"), run(connection, "select $1::text", [new Date(Number.NaN)])]);
    expect(results).toMatchObject([
      { status: "rejected", reason: { message: "Invalid time value" } },
      { status: "rejected", reason: { message: "Invalid time value" } },
    ]);
    connection.release(false);
    expect(await runOn(database, "select 2 as two")).toEqual([{ two: 2 }]);
    await database.close();
  });
});
