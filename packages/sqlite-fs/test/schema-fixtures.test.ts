import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { nodeFileSystem } from "@workrail/blob-files";
import { type CheckpointId, type Context, finishRemovals, type SessionId } from "@workrail/core";
import { type FaultKind, Faults, tally, withFaults } from "@workrail/storage-conformance/harness";
import { describe, expect, it } from "vitest";
import { MIGRATIONS } from "../src/migrations.ts";
import { Child } from "./child-process.ts";
import { type DriverFault, FaultyDriver } from "./faulty-driver.ts";
import { growingContext } from "./growing-context.ts";
import { WITH_ONE_MORE } from "./one-more-migration.ts";
import { openDatabase } from "./open-database.ts";
import { failureOf, TestStore, type TestStoreOptions, withDirectory, withOpened } from "./test-store.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

const FIXTURES = fileURLToPath(new URL("./fixtures", import.meta.url));
/** Stores that earlier versions wrote with `make-fixture.ts`. */
const SCHEMAS = fs.readdirSync(FIXTURES).filter((name) => name.startsWith("schema-"));

/** Contexts of each session, oldest first. */
const CONTEXTS: Readonly<Record<string, readonly Context[]>> = {
  grown: [1, 2, 3, 4, 5, 6].map((number) => growingContext("the writer", number)),
  Capital: [{ number: 1, "schlüssel \ud83d\udd11": ["ä", null, 1.5] }, { number: 2 }, { aside: true }],
  session: [{ number: 1 }],
  hurt: [{ number: 1 }],
  pruned: [{ number: 3 }, { number: 4 }],
};

describe.each(SCHEMAS)("a store of %s", (schema) => {
  it("opens with every context unchanged", () => onFixture(schema, (dataDir) => withOpened(dataDir, expectAll)));

  it("keeps the data of sessions and checkpoints", () =>
    onFixture(schema, (dataDir) =>
      withOpened(dataDir, async ({ storage }) => {
        const list = async (sessionId: string) =>
          (await storage.catalog.list({ filter: { sessionId: sessionId as SessionId, kinds: ALL }, limit: 10, offset: 0 })).records;
        expect((await storage.catalog.session("session" as SessionId))?.pins).toEqual(["number"]);
        expect((await list("grown")).map(({ name, tags, sequence }) => [name, tags, sequence])[0]).toEqual(["step 6", ["grown", "t6"], 6]);
        expect((await list("grown")).filter(({ baseId }) => baseId !== null)).toHaveLength(3);
        expect((await list("Capital")).map(({ kind }) => kind)).toEqual(["aside", "project", "workflow"]);
        expect((await list("Capital")).at(-1)).toMatchObject({ agentId: "an agent", workflowId: "a workflow", project: "/a/project" });
        expect((await list("hurt")).map(({ id, damaged }) => [id, damaged])).toEqual([
          ["hurt-2", true],
          ["hurt-1", false],
        ]);
      }),
    ));

  it("completes pending removals, saves and compacts, and passes verification", () =>
    onFixture(schema, (dataDir) =>
      withOpened(dataDir, async (store) => {
        expect(await finishRemovals(store.storage)).toBe(2);
        await store.save(growingContext("the writer", 7), { sessionId: "grown" as SessionId });
        await store.compact("grown" as SessionId);
        expect(await store.contextOf("grown" as SessionId)).toEqual(growingContext("the writer", 7));
        // Only the checkpoint that was damaged when the fixture was made.
        expect((await store.verify()).findings).toMatchObject([{ kind: "marked", checkpointId: "hurt-2" }]);
        expect((await store.rebuild()).checkpoints).toBe(14);
      }),
    ));

  it("keeps owner-only copies from before the two newest migrations", () =>
    onFixture(schema, async (dataDir) => {
      const [first, ...others] = [1, 2, 3].map((count) => MIGRATIONS.length + count);
      const migrations = (newest: number) => [...WITH_ONE_MORE, NOTHING, NOTHING].slice(0, newest);
      await withOpened(dataDir, expectAll, { migrations: migrations(first as number) });
      const copy = path.join(dataDir, "backups", `pre-schema-${first}.db`);
      expect(IS_POSIX ? [path.dirname(copy), copy].map((each) => fs.statSync(each).mode & 0o777) : OWN).toEqual(OWN);
      const database = openDatabase(copy, 0);
      expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: Number(schema.split("-")[1]) });
      expect(database.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
      expect(database.prepare("SELECT count(*) AS checkpoints FROM checkpoint").get()).toEqual({ checkpoints: 14 });
      database.close();
      for (const newest of others) await withOpened(dataDir, expectAll, { migrations: migrations(newest) });
      expect(new Set(fs.readdirSync(path.dirname(copy)))).toEqual(new Set(others.map((newest) => `pre-schema-${newest}.db`)));
    }));

  it.each<[string, Omit<DriverFault, "at">]>([
    ["fails", { kind: "fails", code: "SQLITE_IOERR_WRITE" }],
    ["is refused by a full disk, for ever", { kind: "rolls-back", code: "SQLITE_FULL", persistent: true }],
    ["fails although it was done", { kind: "did-it", code: "SQLITE_IOERR_FSYNC" }],
  ])("is as it was, or migrated, when any call of SQLite %s", (_, fault) =>
    onFixture(schema, async (original) => {
      const struck = await sweep(original, (at, dataDir) => {
        const driver = new FaultyDriver();
        driver.arm({ ...fault, at });
        return { options: { openDatabase: driver.open }, hasStruck: () => driver.struck > 0, dataDir };
      });
      expect(struck).toBeGreaterThan(20);
    }),
  );

  it.each<[string, FaultKind, boolean]>([
    ["fails", "fails", false],
    ["is the last one", "crashes", true],
    ["fails although it was done", "fails-after", false],
  ])("is as it was, or migrated, when any operation on files %s", (_, kind, persistent) =>
    onFixture(schema, async (original) => {
      const struck = await sweep(original, (at, dataDir) => {
        const faults = new Faults();
        faults.arm({ kind, at, persistent, code: "EIO" });
        return { options: { fs: withFaults(nodeFileSystem, faults, { throws: true }) }, hasStruck: () => faults.struck, dataDir };
      });
      expect(struck).toBeGreaterThan(20);
    }),
  );

  it("has the old or the new schema when the process is killed at any point of a migration", () =>
    onFixture(schema, async (original) => {
      const killed = (killAt: number): Promise<boolean> =>
        onCopy(original, async (dataDir) => {
          const child = Child.start({ type: "migrate", dataDir, killAt });
          const hasOpened = await child.told(1).then(
            () => true,
            () => false,
          );
          await child.done().catch(() => undefined);
          await withOpened(dataDir, expectAll, { migrations: WITH_ONE_MORE });
          expectMigrated(dataDir);
          return hasOpened;
        });
      const kills = await countUntilOver(killed, { eachOfTheFirst: 1, stride: 25 });
      expect(kills).toBeGreaterThan(10);
    }));

  it("is migrated once by processes that open it at the same moment", () =>
    onFixture(schema, async (dataDir) => {
      const children = Array.from({ length: PROCESSES }, () => Child.start({ type: "migrate", dataDir, killAt: 0 }));
      expect(await Promise.all(children.map((child) => child.told(1)))).toEqual(Array(PROCESSES).fill("opened"));
      await Promise.all(children.map((child) => child.done()));
      expectMigrated(dataDir);
      await withOpened(dataDir, expectAll, { migrations: WITH_ONE_MORE });
    }));
});

const IS_POSIX = process.platform !== "win32";
const OWN = [0o700, 0o600];
const ALL = ["workflow", "project", "conversation", "aside"] as const;
const PROCESSES = IS_LONG ? 6 : 3;
const NOTHING = { sql: "", minReader: 1, minWriter: 1 };

interface Attempt {
  readonly dataDir: string;
  readonly options: TestStoreOptions;
  hasStruck(): boolean;
}

/** Opens the store with a fault at each point, and then without a fault. Returns the number of points. */
function sweep(original: string, attemptAt: (at: number, dataDir: string) => Attempt): Promise<number> {
  return countUntilOver((at) =>
    onCopy(original, async (dataDir) => {
      const attempt = attemptAt(at, dataDir);
      await openAndClose(attempt);
      await withOpened(dataDir, expectAll, { migrations: WITH_ONE_MORE });
      expectMigrated(dataDir);
      return !attempt.hasStruck();
    }),
  );
}

/**
 * Tries points until no fault strikes any more. `npm run test:faults` tries each point; other runs try each of the first points, which
 * differ most, and some of the others.
 */
async function countUntilOver(
  attempt: (at: number) => Promise<boolean>,
  { eachOfTheFirst = 6, stride = 8 }: { readonly eachOfTheFirst?: number; readonly stride?: number } = {},
): Promise<number> {
  const each = IS_LONG ? 1 : stride;
  let at = 1;
  while (!(await attempt(at))) at += at < eachOfTheFirst ? 1 : each;
  return at;
}

async function openAndClose({ dataDir, options }: Attempt): Promise<void> {
  const opening = TestStore.open(dataDir, { ...options, migrations: WITH_ONE_MORE });
  const opened = await opening.catch(() => undefined);
  if (opened === undefined) expect((await failureOf(opening)).code).toBe("STORAGE_UNAVAILABLE");
  else await opened.close();
}

/** Loads every context. The catalog must not need a rebuild. */
async function expectAll(store: TestStore): Promise<void> {
  expect(await store.storage.recovery.needsRebuild()).toBe(false);
  for (const [sessionId, expected] of Object.entries(CONTEXTS)) {
    const { records } = await store.storage.catalog.list({
      filter: { sessionId: sessionId as SessionId, kinds: ALL },
      limit: 10,
      offset: 0,
    });
    const ids = records.filter(({ damaged }) => !damaged).map(({ id }) => id);
    const contexts = await Promise.all(ids.map(async (checkpointId: CheckpointId) => (await store.load({ checkpointId })).context));
    contexts.reverse();
    const wrong = contexts.filter((context, index) => JSON.stringify(context) !== JSON.stringify(expected[index])).length;
    tally({ tries: 1, acknowledged: expected.length, lost: Math.max(0, expected.length - contexts.length), wrong });
    expect(contexts).toEqual(expected);
  }
}

function expectMigrated(dataDir: string): void {
  const database = openDatabase(path.join(dataDir, "workrail.db"), 1_000);
  expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: WITH_ONE_MORE.length });
  expect(database.prepare("SELECT count(*) AS sessions FROM next").get()).toEqual({ sessions: 5 });
  expect(database.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  database.close();
}

function onFixture(schema: string, test: (dataDir: string) => Promise<unknown>): Promise<void> {
  return onCopy(path.join(FIXTURES, schema), async (dataDir) => void (await test(dataDir)));
}

function onCopy<T>(original: string, test: (dataDir: string) => Promise<T>): Promise<T> {
  return withDirectory((directory) => {
    const dataDir = path.join(directory, "data");
    fs.cpSync(original, dataDir, { recursive: true });
    return test(dataDir);
  });
}
