import { randomUUID } from "node:crypto";
import { createTeamDatabase, noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import { type ChainedStorage, chained, type SessionId } from "@workrail/core";
import { migrate } from "@workrail/postgres";
import { Faults, sha256 } from "@workrail/storage-conformance/harness";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openOver } from "../src/open-postgres.ts";
import { openPool, pgDatabase } from "../src/pg-database.ts";
import { saveUntilNotStruck } from "./save-until-not-struck.ts";
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

  it.each([
    ["fails", false],
    ["fails-after", false],
    ["fails", true],
    ["fails-after", true],
  ] as const)("at any statement of a save, which %s, loses nothing and repeats nothing; blob within: %s", async (kind, isTogether) => {
    const fault = { kind, persistent: false, code: "ECONNRESET" } as const;
    expect(await saveUntilNotStruck(storage, session, { faults, fault, isTogether })).toBeGreaterThan(10);
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
