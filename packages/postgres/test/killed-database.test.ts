import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { createTeamDatabase, noPostgres, type PostgresServer, startPostgres, tally } from "@workrail/faults";
import { type ChainedStorage, chained, type CheckpointId, isWorkrailError, type SessionId, verifyAudit } from "@workrail/core";
import { migrate, openPostgres } from "@workrail/postgres";
import { sha256, withChance } from "@workrail/storage-conformance/harness";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { saveRecord } from "./a-record.ts";

const missing = noPostgres();
const KILLS = Number(process.env["WORKRAIL_DATABASE_KILLS"] ?? 3);
const SEED = Number(process.env["WORKRAIL_CONFORMANCE_SEED"] || 1);

/** A save whose call was answered. */
interface Acknowledged {
  readonly id: CheckpointId;
  readonly sequence: number;
}

describe.skipIf(missing !== undefined)(`a database that is killed${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let server: PostgresServer;
  let url: string;

  beforeAll(async () => {
    server = await startPostgres({ isDurable: true });
    const { owner, user } = await createTeamDatabase(server);
    url = user;
    await migrate(owner);
  });
  afterAll(() => server.destroy());

  const open = async (): Promise<ChainedStorage> =>
    chained(await openPostgres({ url, retryMs: 20_000, leaseMs: 60_000 }), (text) => sha256.sha256(text));

  it(`loses and reorders nothing that it acknowledged to two openers, ${KILLS} times`, { timeout: 3_600_000 }, () =>
    withChance(SEED, async (chance) => {
      const storages = [await open(), await open()];
      const shared = randomUUID() as SessionId;
      const acknowledged = new Map<SessionId, Acknowledged[]>();
      const over = new AbortController();
      let unknown = 0;
      const savers = storages.flatMap((storage) => [shared, randomUUID() as SessionId].map((session) => saving(storage, session)));
      for (let kill = 1; kill <= KILLS; kill++) {
        await pause(chance.below(300));
        await server.kill();
        await server.start();
      }
      await pause(200);
      over.abort();
      await Promise.all(savers);
      await prove(storages[0] as ChainedStorage);
      for (const storage of storages) await storage.close();

      async function saving(storage: ChainedStorage, session: SessionId): Promise<void> {
        while (!over.signal.aborted) {
          try {
            const { id, outcome } = await saveRecord(storage, session);
            if (outcome.status !== "committed" || outcome.record === undefined) throw new Error(`The save is ${outcome.status}.`);
            acknowledged.set(session, [...(acknowledged.get(session) ?? []), { id, sequence: outcome.record.sequence }]);
          } catch (error) {
            if (!isWorkrailError(error) || !error.retryable) throw error;
            if (error.details["outcome"] === "unknown") unknown += 1;
          }
        }
      }

      async function prove(storage: ChainedStorage): Promise<void> {
        let [answered, lost] = [0, 0];
        for (const [sessionId, saves] of acknowledged) {
          const where = { state: "any", sessionId } as const;
          const { rows } = await storage.catalog.read({ rows: { of: "checkpoints", where, order: "oldest", limit: 1_000_000 } });
          const there = new Map(rows.map(({ record }) => [record.id, record.sequence]));
          answered += saves.length;
          lost += saves.filter(({ id, sequence }) => there.get(id) !== sequence).length;
          // No number is skipped, and a save that came later has a later number.
          expect(rows.map(({ record }) => record.sequence)).toEqual(rows.map((_, index) => index + 1));
          expect(rows.map(({ commit }) => commit)).toEqual(rows.map(({ commit }) => commit ?? 0).toSorted((one, other) => one - other));
        }
        tally({ tries: KILLS, acknowledged: answered, lost });
        expect({ lost, unknown }).toEqual({ lost: 0, unknown: 0 });
        expect(answered).toBeGreaterThan(0);
        expect((await verifyAudit(storage)).findings).toEqual([]);
        const { contradictions } = await storage.catalog.read({ contradictions: { of: "contradictions" } });
        expect(contradictions).toEqual({ sums: [], edges: [] });
      }
    }),
  );
});
