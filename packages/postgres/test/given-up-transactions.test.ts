import { randomUUID } from "node:crypto";
import { createTeamDatabase, noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import { type BlobRef, type ChainedStorage, chained, type SessionId } from "@workrail/core";
import { migrate } from "@workrail/postgres";
import { Faults, sha256, tally } from "@workrail/storage-conformance/harness";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openOver } from "../src/open-postgres.ts";
import { openPool, pgDatabase } from "../src/pg-database.ts";
import { saveRecord } from "./a-record.ts";
import { saveUntilNotStruck } from "./save-until-not-struck.ts";
import { givenUp } from "./struck.ts";

const missing = noPostgres();

describe.skipIf(missing !== undefined)(`a transaction that is given up${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let server: PostgresServer;
  let url: string;

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    const team = await createTeamDatabase(server);
    url = team.user;
    await migrate(team.owner);
  });
  afterAll(() => server.destroy());

  const open = async (faults: Faults, retryMs: number): Promise<ChainedStorage> => {
    const database = givenUp(pgDatabase(openPool({ url, maxConnections: 3 })), faults);
    return chained(await openOver(database, { retryMs }), (text) => sha256.sha256(text));
  };

  it.each([
    ["a serialization failure", "40001", false],
    ["a deadlock", "40P01", false],
    ["a deadlock", "40P01", true],
  ])(
    "by %s (%s) at any statement of a save is repeated, and nothing is lost or saved twice; blob within: %s",
    async (_, code, isTogether) => {
      const faults = new Faults();
      const storage = await open(faults, 20_000);
      const session = randomUUID() as SessionId;
      expect(
        await saveUntilNotStruck(storage, session, { faults, fault: { kind: "fails", persistent: false, code }, isTogether }),
      ).toBeGreaterThan(10);
      await storage.close();
    },
  );

  it("in which a statement failed is not acknowledged, also when its caller hides the failure", async () => {
    const storage = await open(new Faults(), 0);
    const ref = "hidden" as BlobRef;
    const blobs = async (): Promise<boolean> => {
      await storage.blobs.replace(ref, new Uint8Array(1));
      await storage.blobs.replace(ref, null as never).catch(() => undefined);
      return true;
    };
    const decision = { outcome: "done", rows: [], audit: [], blobs };
    await expect(storage.catalog.change({ reads: {}, decide: () => decision })).rejects.toMatchObject({ details: { code: "23502" } });
    expect(await storage.blobs.get(ref)).toBeUndefined();
    await storage.close();
  });

  it.each(["40001", "40P01"])("with %s again and again is refused as locked, and leaves nothing", async (code) => {
    const faults = new Faults();
    const storage = await open(faults, 0);
    const session = randomUUID() as SessionId;
    let tries = 0;
    for (let at = 1, isStruck = true; isStruck; at++) {
      faults.arm({ kind: "fails", at, persistent: true, code });
      const failure: unknown = await saveRecord(storage, session).catch((error: unknown) => error);
      isStruck = faults.struck;
      faults.disarm();
      if (!isStruck) break;
      tries += 1;
      expect(failure).toMatchObject({ code: "LOCK_TIMEOUT", retryable: true });
      const { count } = await storage.catalog.read({ count: { of: "count", where: { state: "any", sessionId: session } } });
      expect({ at, count }).toEqual({ at, count: 0 });
    }
    tally({ tries });
    expect(tries).toBeGreaterThan(10);
    await storage.close();
  });
});
