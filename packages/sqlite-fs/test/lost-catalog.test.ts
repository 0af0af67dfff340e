import fs from "node:fs";
import path from "node:path";
import { type FileSystem, nodeFileSystem } from "@workrail/blob-files";
import { type CheckpointId, finishRemovals, type SessionId } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { Child } from "./child-process.ts";
import { FaultyDriver } from "./faulty-driver.ts";
import { proveFiles } from "./prove-files.ts";
import { failureOf, SESSION, TestStore, withDirectory, withOpened, withStore } from "./test-store.ts";

const LOST = { code: "STORAGE_UNAVAILABLE", reason: "catalog-lost" };

// Windows does not allow deleting an open database: tests that do so are skipped there.
const isWindows = process.platform === "win32";

describe("a database that was deleted", () => {
  it.skipIf(isWindows)("under a running process is noticed by its next write, which writes nothing", () =>
    withStore(async (store) => {
      await store.save({ number: 1 });
      removeDatabase(store.dataDir);
      expect(await failureOf(store.save({ number: 2 }))).toMatchObject(LOST);
      expect(await failureOf(store.collectGarbage())).toMatchObject(LOST);
      expect(fs.existsSync(databaseOf(store))).toBe(false);
      // The refused save left its blob, as any refused save may.
      expect(await store.recover()).toMatchObject({ checkpoints: 2, sessions: 1 });
      expect(await store.save({ number: 2 })).toMatchObject({ status: "unchanged" });
      expect(numbersIn(store)).toEqual([1, 2]);
    }),
  );

  it.each<[string, (dataDir: string) => void]>([
    ["alone, its -wal and -shm left", (dataDir) => fs.rmSync(path.join(dataDir, "workrail.db"))],
    ["with all that belongs to it", removeDatabase],
    ["and made anew, empty", (dataDir) => fs.writeFileSync(path.join(dataDir, "workrail.db"), "")],
  ])("%s, while no process has it open, is known to be lost", (_, remove) =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      await leaveBehind(dataDir, [1, 2, 3]);
      remove(dataDir);
      await withOpened(dataDir, async (store) => {
        expect(await store.storage.recovery.needsRebuild()).toBe(true);
        expect(await failureOf(store.contextOf())).toMatchObject(LOST);
        expect(await failureOf(store.save({ number: 4 }))).toMatchObject(LOST);
        expect(await store.recover()).toMatchObject({ checkpoints: 3 });
        expect(await store.recover()).toBeUndefined();
        expect(numbersIn(store)).toEqual([1, 2, 3]);
      });
    }),
  );

  it.skipIf(isWindows)("by another process and replaced by a blank one is noticed", () =>
    withStore(async (store) => {
      await store.save({ number: 1 });
      await withDirectory(async (elsewhere) => {
        await withOpened(elsewhere, async () => undefined);
        removeDatabase(store.dataDir);
        fs.copyFileSync(path.join(elsewhere, "workrail.db"), databaseOf(store));
      });
      expect(await failureOf(store.save({ number: 2 }))).toMatchObject(LOST);
      expect(await store.recover()).toMatchObject({ checkpoints: 2 });
      expect(numbersIn(store)).toEqual([1, 2]);
    }),
  );

  it.skipIf(isWindows)("before anything was saved is simply made again", () =>
    withStore(async (store) => {
      removeDatabase(store.dataDir);
      expect(await store.storage.recovery.needsRebuild()).toBe(false);
      await store.save({ number: 1 });
      expect(numbersIn(store)).toEqual([1]);
    }),
  );

  it("is rebuilt by one of the processes that notice it, and the others wait no longer than that takes", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      await leaveBehind(dataDir, [1, 2]);
      removeDatabase(dataDir);
      const lockWaitMs = 60_000;
      const stores = await Promise.all([1, 2, 3].map(() => TestStore.open(dataDir, { lockWaitMs })));
      const started = performance.now();
      const reports = await Promise.all(stores.map((store) => store.recover()));
      expect(performance.now() - started).toBeLessThan(lockWaitMs / 2);
      expect(reports.filter((report) => report !== undefined)).toMatchObject([{ checkpoints: 2 }]);
      for (const store of stores) expect(await store.contextOf()).toMatchObject({ number: 2 });
      for (const store of stores) await store.close();
    }));

  it.skipIf(isWindows)("is not rebuilt while another process has it open: the rebuild is refused and changes nothing", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      await leaveBehind(dataDir, [1]);
      const other = Child.start({ type: "open", dataDir });
      await other.told(2);
      await withOpened(
        dataDir,
        async (store) => {
          const before = listing(dataDir);
          expect((await failureOf(store.rebuild())).code).toBe("STORE_IN_USE");
          expect(listing(dataDir)).toEqual(before);
          fs.rmSync(databaseOf(store));
          const refusal = (await failureOf(store.recover())).error;
          expect(refusal).toMatchObject({
            code: "STORE_IN_USE",
            message: expect.stringContaining("catalog"),
            hint: expect.stringContaining("Stop"),
          });
          expect(fs.existsSync(databaseOf(store))).toBe(false);
          await other.kill();
          expect(await store.recover()).toMatchObject({ checkpoints: 1 });
        },
        { lockWaitMs: 50 },
      );
    }),
  );
});

describe("a database that is damaged", () => {
  const damaged = (damage: (file: string) => void, test: (store: TestStore) => Promise<void>) =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      await withOpened(dataDir, async (store) => {
        for (const number of [1, 2]) await store.save({ number });
      });
      damage(path.join(dataDir, "workrail.db"));
      await withOpened(dataDir, test);
    });

  it.each<[string, (file: string) => void]>([
    ["its first page is zeros", (file) => overwrite(file, 0, Buffer.alloc(1024))],
    ["it is not a database at all", (file) => fs.writeFileSync(file, "not a database, but long enough to be taken for one. ".repeat(100))],
  ])("can be opened when %s, to be rebuilt; the old one is kept", (_, damage) =>
    damaged(damage, async (store) => {
      expect(await failureOf(store.contextOf())).toMatchObject({ code: "STORAGE_UNAVAILABLE", reason: "catalog-damaged" });
      expect(await store.storage.recovery.needsRebuild()).toBe(true);
      expect(await store.recover()).toMatchObject({ checkpoints: 2 });
      expect(numbersIn(store)).toEqual([1, 2]);
      expect(listing(store.dataDir)).toContain("workrail.db.replaced-1");
    }),
  );

  it("in the middle causes a named error where it is read, and can be rebuilt", () =>
    damaged(
      (file) => overwrite(file, 1024, Buffer.alloc(fs.statSync(file).size - 1024, 0xa5)),
      async (store) => {
        expect(await failureOf(store.contextOf())).toMatchObject({ code: "STORAGE_UNAVAILABLE", reason: "catalog-damaged" });
        expect(await store.rebuild()).toMatchObject({ checkpoints: 2 });
        expect(numbersIn(store)).toEqual([1, 2]);
      },
    ));
});

describe("a rebuild", () => {
  it("replays no -wal that an earlier database left", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      await leaveBehind(dataDir, [1, 2, 3]);
      expect(fs.statSync(path.join(dataDir, "workrail.db-wal")).size).toBeGreaterThan(0);
      // Records of the old database only must not come back with its -wal.
      fs.rmSync(path.join(dataDir, "contexts", SESSION), { recursive: true });
      await withOpened(dataDir, async (store) => {
        await store.rebuild();
        expect(numbersIn(store)).toEqual([]);
        await store.save({ number: 9 });
      });
      await withOpened(dataDir, async (store) => expect(numbersIn(store)).toEqual([9]));
    }));

  it("replays no -wal without its database", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      await leaveBehind(dataDir, [1, 2, 3]);
      fs.rmSync(path.join(dataDir, "workrail.db"));
      fs.rmSync(path.join(dataDir, "contexts", SESSION), { recursive: true });
      await withOpened(dataDir, async (store) => {
        expect(await store.recover()).toMatchObject({ checkpoints: 0 });
        expect(listing(dataDir)).toContain("workrail.db.replaced-1-wal");
        expect(numbersIn(store)).toEqual([]);
        await store.save({ number: 4 });
      });
      await withOpened(dataDir, async (store) => expect(numbersIn(store)).toEqual([4]));
    }));

  it("runs once when two processes find the catalog lost, even if the first one ends before the turn of the second", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      await withOpened(dataDir, async (store) => store.save({ number: 1 }));
      removeDatabase(dataDir);
      const stores = [await TestStore.open(dataDir), await TestStore.open(dataDir)];
      const recoverAndClose = async (store: TestStore) => {
        const report = await store.recover();
        await store.close();
        return report;
      };
      const reports = await Promise.all(stores.map(recoverAndClose));
      expect(reports.filter((report) => report !== undefined)).toHaveLength(1);
      await withOpened(dataDir, async (store) => expect(numbersIn(store)).toEqual([1]));
      expect(listing(dataDir).filter((name) => name.includes("replaced"))).toEqual([]);
    }));

  it("keeps each database that it replaced", () =>
    withStore(async (store) => {
      await store.save({ number: 1 });
      for (let time = 1; time <= 3; time++) await store.rebuild();
      expect(listing(store.dataDir).filter((name) => name.includes("replaced"))).toEqual(
        [1, 2, 3].map((number) => `workrail.db.replaced-${number}`),
      );
    }));

  it.skipIf(isWindows)("completes pending removals, and does not restore removed checkpoints", () => {
    let refusesRemoval = true;
    const files: FileSystem = {
      ...nodeFileSystem,
      async unlinkSoon(file) {
        if (refusesRemoval) throw Object.assign(new Error("EBUSY: injected"), { code: "EBUSY" });
        await nodeFileSystem.unlinkSoon(file);
      },
    };
    return withStore(
      async (store) => {
        for (const number of [1, 2, 3, 4]) await store.save({ number });
        await store.idle();
        removeDatabase(store.dataDir);
        expect(await store.recover()).toMatchObject({ checkpoints: 2, removedEarlier: 2 });
        expect(await blobsOf(store)).toHaveLength(4);
        await store.pin("number");
        expect(await store.rebuild()).toMatchObject({ checkpoints: 2, removedEarlier: 2 });
        refusesRemoval = false;
        expect(await finishRemovals(store.storage)).toBe(2);
        expect(await blobsOf(store)).toHaveLength(2);
        await store.save({ number: 5 });
        await store.idle();
        expect(await store.rebuild()).toMatchObject({ checkpoints: 2, removedEarlier: 0 });
        expect(numbersIn(store)).toEqual([4, 5]);
      },
      { maxCheckpoints: 2, fs: files },
    );
  });

  it.skipIf(isWindows).each(["session", "Session"])(
    "brings back what a save was about to remove that failed, once its garbage is collected, in %s",
    (id) =>
      withDirectory(async (directory) => {
        const driver = new FaultyDriver();
        const sessionId = id as SessionId;
        const store = await TestStore.open(path.join(directory, "data"), { openDatabase: driver.open, maxCheckpoints: 2 });
        for (const number of [1, 2]) await store.save({ number }, { sessionId });
        // The removal was already written to the session's facts, which must be durable first.
        driver.arm({ kind: "rolls-back", when: (sql) => sql === "COMMIT" });
        await failureOf(store.save({ number: 3 }, { sessionId }));
        driver.disarm();
        expect(numbersIn(store)).toEqual([1, 2]);
        expect(await store.collectGarbage()).toMatchObject({ blobs: 1 });
        removeDatabase(store.dataDir);
        await store.recover();
        expect(numbersIn(store)).toEqual([1, 2]);
        await store.close();
      }),
  );

  it("restores a checkpoint that was removed and then saved again under the same id", () =>
    withStore(
      async (store) => {
        const save = (number: number) => store.save({ number }, { checkpointId: `own-${number}` as CheckpointId });
        for (const number of [1, 2, 3, 1]) await save(number);
        await store.idle();
        await store.rebuild();
        expect(numbersIn(store)).toEqual([3, 1]);
        await store.collectGarbage();
        expect(await store.contextOf()).toEqual({ number: 1 });
      },
      { maxCheckpoints: 2 },
    ));

  it("restores a checkpoint that was removed and then saved again under the same id, without a later removal", () =>
    withStore(
      async (store) => {
        const save = (each: TestStore, number: number) => each.save({ number }, { checkpointId: `own-${number}` as CheckpointId });
        for (const number of [1, 2]) await save(store, number);
        await store.idle();
        await withOpened(store.dataDir, async (other) => save(other, 1));
        await finishRemovals(store.storage);
        expect(await store.rebuild()).toMatchObject({ checkpoints: 2, removedEarlier: 0 });
        expect(numbersIn(store)).toEqual([2, 1]);
      },
      { maxCheckpoints: 1 },
    ));

  it("restores an id that one session removed and another saved again", () =>
    withStore(
      async (store) => {
        const save = (number: number, sessionId = SESSION) =>
          store.save({ number }, { checkpointId: `own-${number}` as CheckpointId, sessionId });
        for (const number of [1, 2, 3]) await save(number);
        await save(1, "another" as SessionId);
        await store.rebuild();
        expect(await store.contextOf("another" as SessionId)).toEqual({ number: 1 });
        expect(numbersIn(store)).toHaveLength(3);
      },
      { maxCheckpoints: 2 },
    ));

  it("uses one of two blobs with the same id, and names the other", () =>
    withStore(async (store) => {
      await withStore(async (elsewhere) => {
        await store.save({ number: 1 }, { checkpointId: "own" as CheckpointId });
        await elsewhere.save({ number: 2 }, { checkpointId: "own" as CheckpointId, sessionId: "another" as SessionId });
        fs.cpSync(path.join(elsewhere.dataDir, "contexts"), path.join(store.dataDir, "contexts"), { recursive: true });
      });
      const report = await store.rebuild();
      expect(report).toMatchObject({ checkpoints: 1, unreadable: [{ ref: "contexts/another/own.json.gz", code: "CONFLICT" }] });
      expect(numbersIn(store)).toEqual([1]);
    }));

  it("skips unreadable facts of a session, and entries that are not files", () =>
    withStore(async (store) => {
      for (const session of ["torn", "foreign", "linked", "directory", "good"]) {
        await store.save({ session, plan: 1 }, { sessionId: session as SessionId });
      }
      const factsOf = (session: string): string => path.join(store.dataDir, "contexts", session, "metadata.json");
      fs.writeFileSync(factsOf("torn"), fs.readFileSync(factsOf("torn")).subarray(0, 40));
      fs.copyFileSync(factsOf("good"), factsOf("foreign"));
      for (const session of ["linked", "directory"]) fs.rmSync(factsOf(session));
      // On Windows a link to a file needs a privilege, so the test makes none there.
      if (process.platform !== "win32") fs.symlinkSync(factsOf("good"), factsOf("linked"));
      fs.mkdirSync(factsOf("directory"));
      expect(await store.rebuild()).toMatchObject({ checkpoints: 5, sessions: 5 });
    }));
});

/** A store whose last process was killed and closed nothing. */
async function leaveBehind(dataDir: string, numbers: readonly number[]): Promise<void> {
  const child = Child.start({ type: "save", dataDir, writer: "killed", sessions: [SESSION], most: numbers.length });
  await child.told(numbers.length);
  await child.kill();
}

function numbersIn(store: TestStore): readonly unknown[] {
  return [...proveFiles(store.dataDir).contexts.values()].map((context) => (context as { number: unknown }).number);
}

async function blobsOf(store: TestStore): Promise<readonly string[]> {
  const refs: string[] = [];
  for await (const { ref } of store.storage.blobs.list()) refs.push(ref);
  return refs;
}

function databaseOf(store: TestStore): string {
  return path.join(store.dataDir, "workrail.db");
}

function removeDatabase(dataDir: string): void {
  for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(path.join(dataDir, `workrail.db${suffix}`), { force: true });
}

function overwrite(file: string, position: number, bytes: Uint8Array): void {
  const fd = fs.openSync(file, "r+");
  fs.writeSync(fd, bytes, 0, bytes.length, position);
  fs.closeSync(fd);
}

function listing(dataDir: string): readonly string[] {
  return fs.readdirSync(dataDir).sort();
}
