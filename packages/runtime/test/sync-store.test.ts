import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { bundleProgram } from "@workrail/programs";
import { gzipCodec } from "@workrail/codecs";
import type { Codec } from "@workrail/core";
import { noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import { tally } from "@workrail/storage-conformance/harness";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyStore } from "../src/copy-store.ts";
import { migrateStore } from "../src/migrate-store.ts";
import { syncStore } from "../src/sync-store.ts";
import type { SyncStoreOptions } from "../src/sync-options.ts";
import type { Workrail } from "../src/workrail.ts";
import { killAfter } from "./copied-stores.ts";
import { onDisk, refusalOf } from "./stores.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

const CHILD = await bundleProgram(new URL("./synced-then-killed.ts", import.meta.url));
const SAVES = IS_LONG ? 1_000 : 20;
const KILLS = IS_LONG ? 20 : 1;
const LONG = { timeout: 3_600_000 };

/** A shared store, and laptops that began with a copy of it. The shared store is in a directory, or in a database. */
interface Team {
  readonly shared: string;
  readonly laptops: readonly [string, string];
  /** Data directory of a process that has the store in a database. */
  readonly machine: string;
  within<T>(dataDir: string, work: (store: Workrail) => Promise<T>): Promise<T>;
  sync(laptop: string, options?: Partial<SyncStoreOptions>): ReturnType<typeof syncStore>;
}

/** Makes a team whose session `work` has one checkpoint, `base`. */
async function inTeam(test: (team: Team) => Promise<void>, database?: string): Promise<void> {
  await onDisk(async (place) => {
    const laptopAt = (name: string): string => path.join(path.dirname(place.dataDir), name);
    const shared = database ?? place.dataDir;
    const machine = laptopAt("machine");
    const env = { WORKRAIL_DATA_DIR: machine };
    const team: Team = {
      shared,
      machine,
      laptops: [laptopAt("one"), laptopAt("two")],
      async within(where, work) {
        await using store = await place.open({
          ...(where === database ? { store: where, dataDir: machine } : { dataDir: where }),
          upkeep: false,
        });
        const result = await work(store);
        return result;
      },
      sync: (from, options) => syncStore({ from, to: shared, env, ...options }),
    };
    await team.within(team.shared, (store) =>
      store.saveCheckpoint({ sessionId: "work", checkpointId: "base", context: { step: 0 }, retention: "all" }),
    );
    for (const to of team.laptops) await copyStore({ from: shared, to, env });
    await test(team);
  });
}

async function saveOn(
  team: Team,
  laptop: string,
  { name, saves = SAVES }: { readonly name: string; readonly saves?: number },
): Promise<void> {
  await team.within(laptop, async (store) => {
    for (let step = 1; step <= saves; step++) {
      await store.saveCheckpoint({
        sessionId: "work",
        checkpointId: `${name}-${step}`,
        context: { by: name, step },
        metadata: { tags: [name] },
      });
    }
  });
}

/** The checkpoints of a session, oldest first, with their contexts. */
async function historyOf(
  team: Team,
  dataDir: string,
  sessionId = "work",
): Promise<readonly (readonly [id: string, parent: string | null, context: object])[]> {
  return team.within(dataDir, async (store) => {
    const history: (readonly [string, string | null, object])[] = [];
    for await (const { id, parentId } of store.eachCheckpoint({ sessionId })) {
      history.unshift([id, parentId, (await store.loadCheckpoint({ checkpointId: id })).context]);
    }
    return history;
  });
}

const chain = (name: string, saves = SAVES) =>
  Array.from({ length: saves }, (_, index) => [
    `${name}-${index + 1}`,
    index === 0 ? "base" : `${name}-${index}`,
    { by: name, step: index + 1 },
  ]);

async function expectBoth(team: Team): Promise<void> {
  const [one, two] = team.laptops;
  await saveOn(team, one, { name: "one" });
  await saveOn(team, two, { name: "two" });
  expect(await team.sync(one)).toMatchObject({ pushed: SAVES, present: 1, forks: [], refused: [], isComplete: true });
  expect(await team.sync(two)).toMatchObject({
    pushed: SAVES,
    forks: [{ sessionId: "work", checkpointId: "two-1", parentId: "base", head: `one-${SAVES}` }],
    renamed: [],
  });
  const [history, expected] = [await historyOf(team, team.shared), [["base", null, { step: 0 }], ...chain("one"), ...chain("two")]];
  tally({ tries: 1, acknowledged: 2 * SAVES, wrong: isDeepStrictEqual(history, expected) ? 0 : 1 });
  expect(history).toEqual(expected);
  for (const laptop of team.laptops) expect(await team.sync(laptop)).toMatchObject({ pushed: 0, present: SAVES + 1 });
  expect(await historyOf(team, one)).toEqual([["base", null, { step: 0 }], ...chain("one")]);
}

async function expectNothingLost(team: Team): Promise<void> {
  const [one] = team.laptops;
  await saveOn(team, one, { name: "one" });
  for (let kill = 1; kill <= KILLS; kill++) {
    await killAfter(CHILD, [one, team.shared, team.machine], Math.floor((kill * SAVES) / (KILLS + 1)));
  }
  await team.sync(one);
  const [history, expected] = [await historyOf(team, team.shared), [["base", null, { step: 0 }], ...chain("one")]];
  tally({ tries: KILLS, acknowledged: SAVES, wrong: isDeepStrictEqual(history, expected) ? 0 : 1 });
  expect(history).toEqual(expected);
}

describe("syncStore", () => {
  it(`brings ${SAVES} saves of each of two laptops into one session, in order, and names the fork`, LONG, () => inTeam(expectBoth));

  it("leaves both stores usable", () =>
    inTeam(async (team) => {
      const [one] = team.laptops;
      await team.within(team.shared, (shared) =>
        team.within(one, async (laptop) => {
          await laptop.saveCheckpoint({ sessionId: "work", context: { step: 1 } });
          expect(await team.sync(one)).toMatchObject({ pushed: 1 });
          expect((await shared.loadCheckpoint({ sessionId: "work" })).context).toEqual({ step: 1 });
        }),
      );
    }));

  it("keeps ids, times, labels, pins and tags", () =>
    inTeam(async (team) => {
      const [one] = team.laptops;
      const facts = ({ id, createdAt, parentId, name, tags, agentId, workflowId, kind, phase }: Record<string, unknown>): unknown => {
        return { id, createdAt, parentId, name, tags, agentId, workflowId, kind, phase };
      };
      const listed = (dataDir: string): Promise<unknown> =>
        team.within(dataDir, async (store) => {
          const { sessions } = await store.listSessions({ project: null });
          const checkpoints: object[] = [];
          for await (const each of store.eachCheckpoint({ project: null })) checkpoints.push(each);
          const labels = sessions.map(({ id, tags, criticalKeys }) => ({ id, tags, criticalKeys }));
          return { labels, checkpoints: checkpoints.map((each) => facts({ ...each })) };
        });
      await team.within(one, async (store) => {
        const who = { agentId: "reviewer", workflowId: "w", phase: "review" };
        await store.saveCheckpoint({ sessionId: "new", context: { goal: "ship" }, metadata: { name: "first", tags: ["a"] }, ...who });
        await store.markCritical({ sessionId: "new", contextKey: "goal" });
        await store.tagSession({ sessionId: "new", add: ["urgent"] });
      });
      await team.sync(one);
      expect(await listed(team.shared)).toEqual(await listed(one));
    }));

  it("does not push removed checkpoints again", () =>
    inTeam(async (team) => {
      const [one] = team.laptops;
      await saveOn(team, one, { name: "one", saves: 3 });
      await team.sync(one);
      await team.within(team.shared, (store) => store.deleteCheckpoint({ checkpointId: "one-2" }));
      expect(await team.sync(one)).toMatchObject({ pushed: 0, present: 3, removedThere: 1 });
    }));

  it("leaves out checkpoints that are removed meanwhile, and pushes the later ones of their sessions", () =>
    inTeam(async (team) => {
      const [one] = team.laptops;
      await saveOn(team, one, { name: "one", saves: 3 });
      await team.within(one, async (laptop) => {
        let removal: Promise<unknown> | undefined;
        const decode: Codec["decode"] = async (...given) => {
          await (removal ??= laptop.deleteCheckpoint({ checkpointId: "one-2" }));
          return gzipCodec.decode(...given);
        };
        const { pushed, refused } = await team.sync(one, { adapters: { codec: { ...gzipCodec, decode } } });
        expect({ pushed, refused }).toEqual({ pushed: 2, refused: [] });
      });
      expect((await historyOf(team, team.shared)).map(([id]) => id)).toEqual(["base", "one-1", "one-3"]);
    }));

  it("does not name forks that the laptop itself made", () =>
    inTeam(async (team) => {
      const [one] = team.laptops;
      await saveOn(team, one, { name: "one", saves: 3 });
      await team.within(one, (store) => store.saveCheckpoint({ sessionId: "work", parentId: "one-1", context: { way: "other" } }));
      expect(await team.sync(one)).toMatchObject({ pushed: 4, forks: [] });
    }));

  it("gives a checkpoint a new id when its id is taken, once", () =>
    inTeam(async (team) => {
      const [one, two] = team.laptops;
      for (const [index, laptop] of team.laptops.entries()) {
        await team.within(laptop, async (store) => {
          for (const step of [1, 2])
            await store.saveCheckpoint({ sessionId: "work", checkpointId: `same-${step}`, context: { by: index, step } });
        });
      }
      await team.sync(one);
      const { pushed, renamed } = await team.sync(two);
      expect({ pushed, renamed }).toEqual({
        pushed: 2,
        renamed: ["same-1", "same-2"].map((checkpointId) => ({ sessionId: "work", checkpointId, now: expect.any(String) })),
      });
      expect(await team.sync(two)).toMatchObject({ pushed: 0, renamed: [], present: 3 });
      expect((await historyOf(team, team.shared)).length).toBe(5);
      await team.within(team.shared, (store) => store.deleteCheckpoint({ checkpointId: renamed[0]?.now ?? "" }));
      expect(await team.sync(two)).toMatchObject({ pushed: 0, present: 2, removedThere: 1 });
    }));

  it("keeps children and side records with a checkpoint that gets a new id, also in a later push", () =>
    inTeam(async (team) => {
      const [one, two] = team.laptops;
      const add = (laptop: string, id: string, parentId: string): Promise<void> =>
        team.within(laptop, async (store) => {
          await store.saveCheckpoint({ sessionId: "work", checkpointId: id, parentId, context: { in: path.basename(laptop), id } });
          await store.appendRecords({ checkpointId: id, records: [{ key: "of", bytes: Buffer.from(path.basename(laptop)) }] });
        });
      for (const laptop of team.laptops) await add(laptop, "same", "base");
      await add(one, "of-one", "same");
      await add(two, "of-two", "same");
      await team.sync(one);
      const [renamed] = (await team.sync(two)).renamed;
      await add(one, "later-of-one", "same");
      await add(two, "later-of-two", "same");
      for (const laptop of team.laptops) await team.sync(laptop);
      const parents = Object.fromEntries((await historyOf(team, team.shared)).map(([id, parent]) => [id, parent]));
      const now = renamed?.now ?? "";
      expect(parents).toEqual({
        base: null,
        same: "base",
        [now]: "base",
        "of-one": "same",
        "later-of-one": "same",
        "of-two": now,
        "later-of-two": now,
      });
      const { checkpoints } = await team.within(team.shared, (store) => store.loadTexts({ ids: ["same", now], withRecords: true }));
      expect(checkpoints.map(({ records = [] }) => records.map(({ bytes }) => String(Buffer.from(bytes))))).toEqual([["one"], ["two"]]);
    }));

  it("keeps the first checkpoint of a session without a parent, when another store began the session too", () =>
    inTeam(async (team) => {
      for (const laptop of team.laptops) {
        const checkpointId = `first-of-${path.basename(laptop)}`;
        await team.within(laptop, (store) => store.saveCheckpoint({ sessionId: "new", checkpointId, context: { checkpointId } }));
        await team.sync(laptop);
      }
      const parents = (await historyOf(team, team.shared, "new")).map(([id, parent]) => [id, parent]);
      expect(parents).toEqual([
        ["first-of-one", null],
        ["first-of-two", null],
      ]);
    }));

  it("counts a checkpoint with the same id and context in both as present", () =>
    inTeam(async (team) => {
      for (const laptop of team.laptops) await saveOn(team, laptop, { name: "same", saves: 2 });
      expect(await team.sync(team.laptops[0])).toMatchObject({ pushed: 2 });
      expect(await team.sync(team.laptops[1])).toMatchObject({ pushed: 0, present: 3, renamed: [], forks: [] });
    }));

  it("applies the handling of secrets, and continues with other sessions", () =>
    inTeam(async (team) => {
      const [one] = team.laptops;
      const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
      await team.within(one, async (store) => {
        await store.saveCheckpoint({ sessionId: "leak", checkpointId: "leak-1", context: { token: secret } });
        await store.saveCheckpoint({ sessionId: "leak", checkpointId: "leak-2", context: { step: 2 } });
        await store.saveCheckpoint({ sessionId: "work", checkpointId: "one-1", context: { step: 1 } });
      });
      const env = { WORKRAIL_SECRETS: "block" };
      expect(await team.sync(one, { env })).toMatchObject({
        pushed: 1,
        refused: [{ sessionId: "leak", checkpointId: "leak-1", code: "SECRET_FOUND" }],
      });
      expect(await team.sync(one, { env: { WORKRAIL_SECRETS: "redact" } })).toMatchObject({ pushed: 2, refused: [] });
      expect(JSON.stringify(await historyOf(team, team.shared, "leak"))).not.toContain(secret);
      expect(await team.sync(one)).toMatchObject({ pushed: 0, present: 4 });
    }));

  it("stops when asked, and continues", () =>
    inTeam(async (team) => {
      const [one] = team.laptops;
      await saveOn(team, one, { name: "one", saves: 6 });
      const signal = { aborted: false };
      const stopped = await team.sync(one, { signal, onProgress: ({ done }) => void (signal.aborted = done >= 3) });
      expect(stopped).toMatchObject({ pushed: 2, isComplete: false });
      expect(await team.sync(one)).toMatchObject({ pushed: 4, isComplete: true });
      expect(await historyOf(team, team.shared)).toEqual([["base", null, { step: 0 }], ...chain("one", 6)]);
    }));

  it("adds the tags and pins of a session that an earlier call was stopped in", () =>
    inTeam(async (team) => {
      const [one] = team.laptops;
      await team.within(one, async (store) => {
        await store.saveCheckpoint({ sessionId: "new", context: { goal: "ship", way: "by sea" } });
        await store.markCritical({ sessionId: "new", contextKey: "way" });
        await store.saveCheckpoint({ sessionId: "new", context: { goal: "ship" } });
        await store.markCritical({ sessionId: "new", contextKey: "goal" });
        await store.tagSession({ sessionId: "new", add: ["urgent"] });
        await store.saveCheckpoint({ sessionId: "later", context: { step: 1 } });
      });
      const signal = { aborted: false };
      await team.sync(one, { signal, onProgress: ({ done, total }) => void (signal.aborted = done === total - 1) });
      await team.sync(one);
      const { session } = await team.within(team.shared, (store) => store.findCheckpoints({ sessionId: "new" }));
      expect(session).toMatchObject({ tags: ["urgent"], criticalKeys: ["way", "goal"] });
    }));

  it("keeps the checkpoints of a session tagged keep beyond the limit of the target", () =>
    inTeam(async (team) => {
      const [one] = team.laptops;
      await team.within(one, async (store) => {
        for (let step = 1; step <= 5; step++) {
          await store.saveCheckpoint({ sessionId: "new", checkpointId: `new-${step}`, context: { step } });
          await store.keepSession("new");
        }
      });
      await team.sync(one, { env: { WORKRAIL_MAX_CHECKPOINTS: "2" } });
      expect((await historyOf(team, team.shared, "new")).map(([id]) => id)).toEqual(["new-1", "new-2", "new-3", "new-4", "new-5"]);
    }));

  it.skipIf(process.platform === "win32")(
    `loses and repeats nothing in ${KILLS} kills (not on Windows, where SIGKILL is another thing)`,
    LONG,
    () => inTeam(expectNothingLost),
  );

  it("refuses a missing store and unknown options", () =>
    inTeam(async (team) => {
      expect(await refusalOf(team.sync(`${team.shared}-none`))).toMatchObject({ code: "INVALID_INPUT", details: { field: "from" } });
      expect(await refusalOf(team.sync(team.laptops[0], { force: true } as object))).toMatchObject({ details: { field: "force" } });
    }));
});

const missing = process.platform === "win32" ? "SIGKILL is another thing on Windows" : noPostgres();

describe.skipIf(missing !== undefined)(`syncStore with PostgreSQL${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
  });
  afterAll(() => server.destroy());

  const migrated = async (database: string): Promise<string> => {
    await server.createDatabase(database);
    await migrateStore({ store: server.url(database) });
    return server.url(database);
  };

  it(`brings ${SAVES} saves of each of two laptops into one session, in order, and names the fork`, LONG, async () =>
    inTeam(expectBoth, await migrated("both")),
  );
  it(`loses and repeats nothing in ${KILLS} kills`, LONG, async () => inTeam(expectNothingLost, await migrated("killed")));
});
