import { randomUUID } from "node:crypto";
import { createTeamDatabase, noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import { type ChainedStorage, chained, type SessionId, verifyAudit } from "@workrail/core";
import { migrate } from "@workrail/postgres";
import { Faults, sha256, tally } from "@workrail/storage-conformance/harness";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openOver } from "../src/open-postgres.ts";
import { openPool, pgDatabase } from "../src/pg-database.ts";
import { saveRecord } from "./a-record.ts";
import { struck } from "./struck.ts";

const missing = noPostgres();

describe.skipIf(missing !== undefined)(`a connection that is lost${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let server: PostgresServer;
  let storage: ChainedStorage;
  const faults = new Faults();
  let session: SessionId;

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    const { owner, user } = await createTeamDatabase(server);
    await migrate(owner);
    const database = struck(pgDatabase(openPool({ url: user, maxConnections: 3 })), faults);
    storage = chained(await openOver(database), (text) => sha256.sha256(text));
  });
  afterAll(async () => {
    await storage.close();
    await server.destroy();
  });
  beforeEach(() => {
    session = randomUUID() as SessionId;
  });

  it.each(["fails", "fails-after"] as const)("at any statement of a save, which %s, loses nothing and repeats nothing", async (kind) => {
    let saves = 0;
    for (let at = 1, isStruck = true; isStruck; at++) {
      faults.arm({ kind, at, persistent: false, code: "ECONNRESET" });
      const { id, outcome } = await saveRecord(storage, session, { keepNewest: 5 });
      isStruck = faults.struck;
      faults.disarm();
      saves += 1;
      tally({ tries: 1, acknowledged: 1 });
      expect(outcome).toMatchObject({ status: "committed", record: { id, sequence: saves } });
      const { session: row, log } = await storage.catalog.read({
        session: { of: "session", id: session },
        log: { of: "audit", query: { checkpointId: id } },
      });
      expect({ at, last: row?.lastSequence, count: row?.checkpointCount }).toEqual({ at, last: saves, count: Math.min(saves, 5) });
      expect(log.map(({ action }) => action)).toEqual(["save"]);
    }
    expect(saves).toBeGreaterThan(10);
    expect((await verifyAudit(storage)).findings).toEqual([]);
  });

  it("in the answer to a commit that leaves no audit row is an unknown outcome", async () => {
    const change = () =>
      storage.catalog.change({
        reads: {},
        decide: () => ({ outcome: "done", rows: [{ table: "hold", now: { holder: randomUUID(), until: new Date() } }], audit: [] }),
      });
    const outcomes: unknown[] = [];
    for (let at = 1, isStruck = true; isStruck; at++) {
      faults.arm({ kind: "fails-after", at, persistent: false, code: "ECONNRESET" });
      outcomes.push(await change().catch((error: { readonly details?: { readonly outcome?: string } }) => error.details?.outcome));
      isStruck = faults.struck;
      faults.disarm();
    }
    // The last statements are those that are sent together with the commit.
    expect(new Set(outcomes)).toEqual(new Set(["done", "unknown"]));
  });
});
