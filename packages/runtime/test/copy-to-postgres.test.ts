import { bundleProgram } from "@workrail/programs";
import { createTeamDatabase, noPostgres, type PostgresServer, startPostgres, type TeamDatabase } from "@workrail/faults";
import { openPostgres } from "@workrail/postgres";
import { tally } from "@workrail/storage-conformance/harness";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyStore } from "../src/copy-store.ts";
import { migrateStore } from "../src/migrate-store.ts";
import { beside, comparable, contextsAt, fill, killAfter, rowsAt, rowsOf } from "./copied-stores.ts";
import { onDisk, type Place } from "./stores.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

const CHILD = await bundleProgram(new URL("./copied-then-killed.ts", import.meta.url));
const CHECKPOINTS = IS_LONG ? 10_000 : 60;
/** Kills of each of the two copies. In the long form the next one waits until the lease of the killed one is over. */
const KILLS = IS_LONG ? 10 : 1;

/** Statements after which no opener waits for one that was killed. */
const LEASES_ARE_OVER = [
  "update workrail.opener set until = clock_timestamp()",
  "update workrail.store set alone_until = clock_timestamp() where alone_until is not null",
];

const missing = process.platform === "win32" ? "SIGKILL is another thing on Windows" : noPostgres();

/** Puts some of the checkpoints into the trash, deletes others for good, and saves to sessions with tags and pins. */
async function scatter(place: Place): Promise<void> {
  await using store = await place.open();
  const ids: string[] = [];
  for await (const { id } of store.eachCheckpoint({ sessionId: "work" })) ids.push(id);
  const each = (step: number): string[] => ids.filter((_, index) => index > 2 && index % step === 0);
  await store.cleanUp({ checkpointIds: each(13) });
  for (const checkpointId of each(Math.ceil(CHECKPOINTS / 40) * 3 + 1)) await store.deleteCheckpoint({ checkpointId });
  for (let session = 0; session < 10; session++) {
    const sessionId = `labelled-${session}`;
    await store.saveCheckpoint({ sessionId, context: { goal: sessionId }, metadata: { tags: [sessionId], attributes: { own: session } } });
    await store.tagSession({ sessionId, add: [`tag-${session}`] });
    await store.markCritical({ sessionId, contextKey: "goal" });
  }
}

describe.skipIf(missing !== undefined)(`copyStore with PostgreSQL${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let server: PostgresServer;
  let team: TeamDatabase;
  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    team = await createTeamDatabase(server);
    await migrateStore({ store: team.owner });
  });
  afterAll(() => server.destroy());

  it(`copies ${CHECKPOINTS} checkpoints there and back without a difference, after ${2 * KILLS} kills`, { timeout: 7_200_000 }, () =>
    onDisk(async (place) => {
      await fill(place, CHECKPOINTS);
      await scatter(place);
      const [machine, back] = [beside(place, "machine"), beside(place, "back")];
      const before = comparable(await rowsAt(place.dataDir));
      for (const [from, to] of [
        [place.dataDir, team.user],
        [team.user, back],
      ] as const) {
        for (let kill = 1; kill <= KILLS; kill++) {
          await killAfter(CHILD, [from, to, machine], Math.ceil((kill * CHECKPOINTS) / KILLS) - 1);
          if (!IS_LONG) await server.run("team", LEASES_ARE_OVER);
        }
        expect(await copyStore({ from, to, env: { WORKRAIL_DATA_DIR: machine } })).toMatchObject({ missing: [], isComplete: true });
      }
      const [there, returned] = [comparable(await rowsOf(await openPostgres({ url: team.user }))), comparable(await rowsAt(back))];
      const wrong = [there, returned].filter((rows) => JSON.stringify(rows) !== JSON.stringify(before)).length;
      tally({ tries: 2 * KILLS, acknowledged: CHECKPOINTS, wrong });
      expect(there).toEqual(before);
      expect(returned).toEqual(before);
      const contexts = await contextsAt(place, place.dataDir);
      expect(await contextsAt(place, back)).toEqual(contexts);
      await using copied = await place.open({ dataDir: back });
      expect((await copied.verifyStore()).findings).toEqual([]);
      expect((await copied.verifyAuditLog()).findings).toEqual([]);
    }),
  );
});
