import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { SqliteDatabase } from "../src/sqlite-driver.ts";
import { Child } from "./child-process.ts";
import { withDatabase } from "./open-database.ts";
import type { TestStore } from "./test-store.ts";
import { failureOf, SESSION, withDirectory, withOpened } from "./test-store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const PAGE = 1024;

describe("opening a store whose catalog is damaged", () => {
  it.each<[string, (file: string) => void]>([
    ["page 2 is zeros, which SQLite itself takes for an empty table", (file) => overwrite(file, PAGE, Buffer.alloc(PAGE))],
    ["the header is zeros", (file) => overwrite(file, 0, Buffer.alloc(100))],
    ["the file ends in the middle", (file) => fs.truncateSync(file, fs.statSync(file).size / 2)],
    ["the file ends within its header", (file) => fs.truncateSync(file, 60)],
    ["the log that tells the last commit is noise", (file) => overwriteTable(file, "audit", Buffer.alloc(PAGE, 0xa5))],
    ["a table that everything hangs on is noise", (file) => overwriteTable(file, "checkpoint", Buffer.alloc(PAGE, 0xa5))],
    ["a table that little hangs on is zeros", (file) => overwriteTable(file, "trashed", Buffer.alloc(PAGE))],
  ])("is noticed, and ends in a rebuild with nothing lost: %s", (_, damage) =>
    withSaved(async (dataDir, file) => {
      damage(file);
      await withOpened(dataDir, async (store) => {
        expect(await store.recover()).toMatchObject({ checkpoints: 2 });
        expect(await contextsOf(store)).toEqual([{ number: 2 }, { number: 1 }]);
        expect(fs.readdirSync(dataDir)).toContain("workrail.db.replaced-1");
      });
    }),
  );

  it("mends an index that differs from its table in place", () =>
    withSaved(async (dataDir, file) => {
      flipLastBit(file, "sqlite_autoindex_checkpoint_1");
      await withOpened(dataDir, async (store) => {
        expect(await store.recover()).toBeUndefined();
        expect(await contextsOf(store)).toEqual([{ number: 2 }, { number: 1 }]);
        expect(fs.readdirSync(dataDir)).not.toContain("workrail.db.replaced-1");
      });
    }));

  it("leaves damage in a large catalog undetected until it is read", () =>
    withSaved(async (dataDir, file) => {
      enlarge(file, 33);
      overwriteTable(file, "checkpoint", Buffer.alloc(PAGE, 0xa5));
      await withOpened(dataDir, async (store) => {
        expect(await store.storage.recovery.needsRebuild()).toBe(false);
        await store.storage.recovery.examine();
        expect(await store.storage.recovery.needsRebuild()).toBe(false);
        expect((await failureOf(store.contextOf())).reason).toBe("catalog-damaged");
        expect(await store.storage.recovery.needsRebuild()).toBe(true);
        expect(await store.recover()).toMatchObject({ checkpoints: 2 });
        expect(await store.contextOf()).toEqual({ number: 2 });
      });
    }));
});

describe("examining a catalog", () => {
  it.each([
    ["a column that a filter goes by", "UPDATE checkpoint SET project = '/p/rojecv' WHERE sequence = 1"],
    ["a total", "UPDATE checkpoint_total SET total = 5"],
    ["a tag", "DELETE FROM checkpoint_tag"],
    ["an attribute", "DELETE FROM checkpoint_attribute"],
    ["an attribute that no checkpoint has", "INSERT INTO checkpoint_attribute VALUES ('some', 'text', 'other', 1)"],
    ["what quotas go by", "UPDATE state SET value = 1 WHERE key = 'live_bytes'"],
  ])("that is too large to be proved at each opening finds damage in %s, and has it mended", (_, sql) =>
    withSaved(async (dataDir, file) => {
      enlarge(file, 3);
      makeDue(file);
      await withOpened(dataDir, async (store) => {
        const before = withDatabase(file, allOf);
        withDatabase(file, (database) => database.exec(sql));
        await store.storage.recovery.examine();
        expect(await store.recover()).toBeUndefined();
        expect(withDatabase(file, allOf)).toEqual(before);
      });
    }),
  );

  it("finds damage that opening does not check for and causes a rebuild without loss, while other processes go on", () =>
    withSaved(async (dataDir, file) => {
      enlarge(file, 3);
      overwriteTable(file, "trashed", Buffer.alloc(PAGE));
      makeDue(file);
      await withOpened(dataDir, async (store) => {
        expect(await store.recover()).toBeUndefined();
        const examining = store.storage.recovery.examine();
        expect(await store.contextOf()).toEqual({ number: 2 });
        await examining;
        expect(await store.storage.recovery.needsRebuild()).toBe(true);
        expect(await store.contextOf()).toEqual({ number: 2 });
        expect(await store.recover()).toMatchObject({ checkpoints: 2 });
        expect(await store.storage.recovery.needsRebuild()).toBe(false);
        expect(await contextsOf(store)).toEqual([{ number: 2 }, { number: 1 }]);
        await store.save({ number: 3 });
      });
    }));

  it("leaves a catalog that other processes rebuilt meanwhile unchanged", () =>
    withSaved(async (dataDir, file) => {
      enlarge(file, 3);
      overwriteTable(file, "trashed", Buffer.alloc(PAGE));
      makeDue(file);
      await withOpened(dataDir, async (store) => {
        await store.storage.recovery.examine();
        await store.rebuild();
        expect(await store.recover()).toBeUndefined();
      });
    }));

  it.each([
    ["more than a week ago", -8 * DAY_MS, true],
    ["in what is the future by now", 8 * DAY_MS, true],
    ["this week", -6 * DAY_MS, false],
  ])("that was last examined %s, at %d ms from now: due is %s", (_, ago, isDue) =>
    withSaved(async (dataDir, file) => {
      const before = Date.now() + ago;
      withDatabase(file, (database) => database.exec(`UPDATE meta SET value = ${before} WHERE name = 'checked_at'`));
      await withOpened(dataDir, (store) => store.storage.recovery.examine());
      expect(checkedAt(file) !== before).toBe(isDue);
    }),
  );

  it("is due for the first opener after the last openers were killed", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      const save = (most: number) => Child.start({ type: "save", dataDir, writer: "a writer", sessions: [SESSION], most });
      await save(2).done();
      expect(await withOpened(dataDir, isExamined)).toBe(false);
      const killed = save(1_000);
      await killed.told(2);
      await killed.kill();
      await withOpened(dataDir, async (first) => {
        expect(await withOpened(dataDir, isExamined)).toBe(false);
        expect(await isExamined(first)).toBe(true);
        expect(await isExamined(first)).toBe(false);
      });
      expect(await withOpened(dataDir, isExamined)).toBe(false);
    }));

  it("is not due when one process is killed while others have the store open", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      await withOpened(dataDir, async () => {
        const killed = Child.start({ type: "save", dataDir, writer: "a writer", sessions: [SESSION], most: 1_000 });
        await killed.told(2);
        await killed.kill();
        expect(await withOpened(dataDir, isExamined)).toBe(false);
      });
      expect(await withOpened(dataDir, isExamined)).toBe(false);
    }));
});

/** True when the store examines its catalog, which it notes in `checked_at`. */
async function isExamined(store: TestStore): Promise<boolean> {
  const file = path.join(store.dataDir, "workrail.db");
  withDatabase(file, (database) => database.exec("UPDATE meta SET value = value - 1000 WHERE name = 'checked_at'"));
  const before = checkedAt(file);
  await store.storage.recovery.examine();
  return checkedAt(file) !== before;
}

async function withSaved(test: (dataDir: string, file: string) => Promise<void>): Promise<void> {
  await withDirectory(async (directory) => {
    const dataDir = path.join(directory, "data");
    const file = path.join(dataDir, "workrail.db");
    await withOpened(dataDir, async () => undefined);
    // Checkpoints up to this one are indexed when they are saved.
    withDatabase(file, (database) => database.exec("UPDATE state SET value = 2 WHERE key = 'attributes_until'"));
    await withOpened(dataDir, async (store) => {
      for (const number of [1, 2])
        await store.save({ number }, { project: "/p/roject", tags: ["tag"], attributes: { some: "value", n: number } });
    });
    await test(dataDir, file);
  });
}

async function contextsOf(store: TestStore): Promise<readonly unknown[]> {
  const { records } = await store.storage.catalog.list({ filter: {}, limit: 10, offset: 0 });
  return Promise.all(records.map(async ({ id }) => (await store.load({ checkpointId: id })).context));
}

function allOf(database: SqliteDatabase): readonly unknown[] {
  const tables = ["checkpoint", "checkpoint_attribute", "checkpoint_tag", "checkpoint_total", "session"];
  return tables
    .map((table) => database.prepare(`SELECT * FROM ${table}`).all())
    .concat(database.prepare("SELECT * FROM state WHERE key = 'live_bytes'").all());
}

function makeDue(file: string): void {
  withDatabase(file, (database) => database.exec("UPDATE meta SET value = 0 WHERE name = 'checked_at'"));
}

function checkedAt(file: string): number {
  return withDatabase(file, (database) => {
    const row = database.prepare("SELECT value FROM meta WHERE name = 'checked_at'").get() as { readonly value: number };
    return row.value;
  });
}

/** Enlarges a database by a table that nothing reads. */
function enlarge(file: string, mebibytes: number): void {
  withDatabase(file, (database) =>
    database.exec(`CREATE TABLE filler (x BLOB); INSERT INTO filler VALUES (zeroblob(${mebibytes} * 1024 * 1024))`),
  );
}

function overwriteTable(file: string, table: string, bytes: Uint8Array): void {
  overwrite(file, startOf(file, table), bytes);
}

/** Flips the last bit of an index's first page, which ends with the entry that was inserted first. */
function flipLastBit(file: string, index: string): void {
  const at = startOf(file, index) + PAGE - 1;
  overwrite(file, at, Uint8Array.of((fs.readFileSync(file)[at] ?? 0) ^ 1));
}

function startOf(file: string, name: string): number {
  return withDatabase(file, (database) => {
    const row = database.prepare("SELECT rootpage FROM sqlite_master WHERE name = ?").get(name) as { readonly rootpage: number };
    return (row.rootpage - 1) * PAGE;
  });
}

function overwrite(file: string, position: number, bytes: Uint8Array): void {
  const fd = fs.openSync(file, "r+");
  fs.writeSync(fd, bytes, 0, bytes.length, position);
  fs.closeSync(fd);
}
