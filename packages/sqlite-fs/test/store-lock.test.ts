import fs from "node:fs";
import path from "node:path";
import { type FileSystem, nodeFileSystem } from "@workrail/blob-files";
import { restoreFromTrash, tagSession } from "@workrail/core";
import { describe, expect, it } from "vitest";
import type { OpenDatabase } from "../src/sqlite-driver.ts";
import { StoreLock, type StoreLockOptions } from "../src/store-lock.ts";
import { Child } from "./child-process.ts";
import { openWithDriver } from "../src/open-sqlite-fs.ts";
import { driver, openDatabase } from "./open-database.ts";
import { failureOf, SESSION, TestStore, withDirectory, withOpened, withStore } from "./test-store.ts";
import { silentLog } from "../src/silent-log.ts";

const ignore = (): void => undefined;

describe("the lock of a store, between processes", () => {
  it("is shared by all openers, and then refuses exclusive work", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      const others = [1, 2].map(() => Child.start({ type: "open", dataDir }));
      await Promise.all(others.map((other) => other.told(2)));
      const store = await TestStore.open(dataDir, { lockWaitMs: 50 });
      const alone = () => store.storage.locking.exclusively(async () => "alone");
      expect((await failureOf(alone())).error).toMatchObject({ code: "STORE_IN_USE", retryable: true });
      await others[0]?.done();
      expect((await failureOf(alone())).code).toBe("STORE_IN_USE");
      // Shared work continues after each refusal.
      await store.save({ number: 1 });
      await others[1]?.done();
      expect(await alone()).toBe("alone");
      await store.close();
    }));

  it("is waited for up to the given time, for shared and exclusive work", () =>
    withDirectory(async (directory) => {
      const file = path.join(directory, "workrail.lock");
      const locks = [await acquire(file, () => undefined), await acquire(file, () => undefined, 1_200)];
      const started = performance.now();
      expect((await failureOf(locks[1]?.exclusively(async () => "alone") ?? Promise.resolve())).code).toBe("STORE_IN_USE");
      expect(performance.now() - started).toBeGreaterThanOrEqual(1_200);
      for (const lock of locks) lock.close();
    }));

  it("is released when its holder is killed", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      const other = Child.start({ type: "open", dataDir });
      await other.told(2);
      const store = await TestStore.open(dataDir, { lockWaitMs: 50 });
      expect((await failureOf(store.rebuild())).code).toBe("STORE_IN_USE");
      await other.kill();
      expect((await store.rebuild()).checkpoints).toBe(0);
      await store.close();
    }));

  it("is released, and all databases are closed, when one of them fails to close", () =>
    withDirectory(async (directory) => {
      const closed: string[] = [];
      const failing: OpenDatabase = (file, busyMs) => {
        const database = openDatabase(file, busyMs);
        const close = (): void => {
          database.close();
          closed.push(path.basename(file));
          if (file.endsWith("search.db")) throw Object.assign(new Error("injected"), { code: "SQLITE_IOERR_CLOSE" });
        };
        return { exec: (sql) => database.exec(sql), prepare: (sql) => database.prepare(sql), close };
      };
      const dataDir = path.join(directory, "data");
      const storage = await openWithDriver({ dataDir }, { ...driver, open: failing });
      await storage.search?.state();
      closed.length = 0;
      await expect(storage.close()).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE", cause: { message: "injected" } });
      expect(closed.toSorted()).toEqual(["search.db", "workrail.db", "workrail.db", "workrail.lock"]);
    }));

  it("prevents opening while another process holds it exclusively", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      const store = await TestStore.open(dataDir, { lockWaitMs: 50 });
      await store.save({ number: 1 });
      await store.close();
      const alone = Child.start({ type: "lock", file: path.join(dataDir, "workrail.lock"), begin: "BEGIN EXCLUSIVE" });
      await alone.told(1);
      expect((await failureOf(TestStore.open(dataDir, { lockWaitMs: 50 }))).code).toBe("STORE_IN_USE");
      await alone.done();
      const again = await TestStore.open(dataDir, { lockWaitMs: 50 });
      expect(await again.contextOf()).toEqual({ number: 1 });
      await again.close();
    }));

  it("is taken again by the next work after another process held it exclusively for longer than the wait", () =>
    withDirectory(async (directory) => {
      const file = path.join(directory, "workrail.lock");
      let regained = 0;
      const lock = await acquire(file, () => {
        regained += 1;
      });
      const other = openDatabase(file, 0);
      other.exec("BEGIN; SELECT count(*) FROM sqlite_master");
      other.prepare("SELECT count(*) FROM sqlite_master").get();
      const refused = lock.exclusively(async () => "alone");
      // While the lock waits to become exclusive it is not held, so the other connection can have it exclusively.
      other.exec("COMMIT; BEGIN EXCLUSIVE");
      await expect(refused).rejects.toMatchObject({ code: "STORE_IN_USE" });
      await expect(lock.shared(async () => "shared")).rejects.toMatchObject({ code: "STORE_IN_USE" });
      await expect(lock.inOrder(SESSION, async () => "in order")).rejects.toMatchObject({ code: "STORE_IN_USE" });
      other.exec("COMMIT");
      const before = regained;
      const works = [lock.shared(async () => "shared"), lock.inOrder(SESSION, async () => "in order")];
      expect(await Promise.all(works)).toEqual(["shared", "in order"]);
      expect(regained).toBe(before + 1);
      expect(() => other.exec("BEGIN EXCLUSIVE")).toThrow(expect.objectContaining({ code: "SQLITE_BUSY" }));
      lock.close();
      other.exec("BEGIN EXCLUSIVE");
      other.close();
    }));
});

// Windows does not allow deleting an open file.
describe.skipIf(process.platform === "win32")("a lock file that is deleted while the store is open", () => {
  const deleted = (test: (store: TestStore, file: string) => Promise<void>) => () =>
    withStore(
      async (store) => {
        await store.save({ number: 1 });
        const file = path.join(store.dataDir, "workrail.lock");
        fs.rmSync(file);
        await test(store, file);
        expect((await store.save({ number: 2 })).record.sequence).toBe(2);
        expect(await store.storage.locking.exclusively(async () => "alone")).toBe("alone");
      },
      { lockWaitMs: 50 },
    );

  it(
    "refuses exclusive work while a later opener has the store open",
    deleted(async (store) => {
      const other = Child.start({ type: "open", dataDir: store.dataDir });
      await other.told(2);
      expect((await failureOf(store.rebuild())).code).toBe("STORE_IN_USE");
      await other.done();
    }),
  );

  it(
    "refuses work while a later opener holds the lock exclusively",
    deleted(async (store, file) => {
      const other = Child.start({ type: "lock", file, begin: "BEGIN EXCLUSIVE" });
      await other.told(1);
      expect((await failureOf(store.save({ number: 2 }))).code).toBe("STORE_IN_USE");
      expect((await failureOf(store.load())).code).toBe("STORE_IN_USE");
      await other.done();
    }),
  );

  it(
    "is created again by the next work, also when another process opens the store",
    deleted(async (store, file) => {
      expect(await store.contextOf()).toEqual({ number: 1 });
      expect(fs.statSync(file).isFile()).toBe(true);
      const other = Child.start({ type: "open", dataDir: store.dataDir });
      await other.told(2);
      expect((await failureOf(store.rebuild())).code).toBe("STORE_IN_USE");
      await other.done();
    }),
  );

  it(
    "lets work on a session and exclusive work both finish",
    deleted(async (store, file) => {
      const { locking, catalog } = store.storage;
      const tagged = tagSession(store.ports(), { sessionId: SESSION, add: ["tag"] });
      await Promise.all([tagged, locking.exclusively(async () => "alone")]);
      expect((await tagged).tags).toEqual(["tag"]);
      const { record } = await store.load();
      const move = { sessionId: SESSION, checkpoints: [record.id], from: "live", to: "trash", at: new Date(), reason: "manual" } as const;
      await catalog.commit({ move, audit: [] });
      fs.rmSync(file);
      const restored = restoreFromTrash(store.ports(), { sessionId: SESSION });
      await Promise.all([restored, locking.exclusively(async () => "alone")]);
      expect(await restored).toHaveLength(1);
    }),
  );

  it(
    "is not followed when a link replaces it",
    deleted(async (store, file) => {
      fs.symlinkSync(path.join(store.dataDir, "elsewhere"), file);
      expect((await failureOf(store.save({ number: 2 }))).reason).toBe("symbolic-link");
      expect((await failureOf(store.rebuild())).reason).toBe("symbolic-link");
      fs.rmSync(file);
    }),
  );
});

describe("a lock file with something else in it", () => {
  const TEXT = "Do not delete this file.\n";
  const foreign = [
    ["a note", Buffer.from(TEXT)],
    ["a page of noise", Buffer.alloc(8_192, TEXT)],
  ] as const;

  it.each(foreign)("that is %s is set aside when the store is opened, with a warning", (_, bytes) =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      await withOpened(dataDir, async (store) => void (await store.save({ number: 1 })));
      fs.writeFileSync(path.join(dataDir, "workrail.lock"), bytes);
      const warnings: string[] = [];
      const store = await TestStore.open(dataDir, { lockWaitMs: 50, log: { ...silentLog, warn: (message) => warnings.push(message) } });
      expect(warnings).toEqual(["the lock file held something else, which was put aside"]);
      expect(fs.readFileSync(path.join(dataDir, "workrail.lock.replaced-1"))).toEqual(bytes);
      expect(await store.contextOf()).toEqual({ number: 1 });
      // The new file locks.
      const other = Child.start({ type: "open", dataDir });
      await other.told(2);
      expect((await failureOf(store.rebuild())).code).toBe("STORE_IN_USE");
      await other.done();
      expect((await store.rebuild()).checkpoints).toBe(1);
      await store.close();
    }),
  );

  it.skipIf(process.platform === "win32")("is created again with the store's directory when only that directory was removed", () =>
    withDirectory(async (directory) => {
      const parent = path.join(directory, "parent");
      const dataDir = path.join(parent, "data");
      const store = await TestStore.open(dataDir);
      await store.save({ number: 1 });
      fs.rmSync(parent, { recursive: true });
      expect(await failureOf(store.save({ number: 2 }))).toMatchObject({ code: "STORAGE_UNAVAILABLE", reason: "missing" });
      expect(fs.existsSync(parent)).toBe(false);
      fs.mkdirSync(parent);
      await store.save({ number: 3 });
      expect(fs.statSync(dataDir).mode & 0o777).toBe(0o700);
      expect(await store.contextOf()).toEqual({ number: 3 });
      await store.close();
      await withOpened(dataDir, async (again) => expect(await again.contextOf()).toEqual({ number: 3 }));
    }),
  );

  it("is closed before it is moved, as Windows requires", () =>
    withDirectory(async (directory) => {
      const file = path.join(directory, "workrail.lock");
      fs.writeFileSync(file, TEXT);
      let opened = 0;
      const counting: OpenDatabase = (name, busyMs) => {
        const database = openDatabase(name, busyMs);
        opened += 1;
        return {
          exec: (sql) => database.exec(sql),
          prepare: (sql) => database.prepare(sql),
          close: () => {
            opened -= 1;
            database.close();
          },
        };
      };
      const rename: FileSystem["rename"] = (from, to) => {
        if (opened > 0) throw Object.assign(new Error("EBUSY: injected"), { code: "EBUSY" });
        nodeFileSystem.rename(from, to);
      };
      const options = { file, fs: { ...nodeFileSystem, rename }, openDatabase: counting, waitMs: 50, log: silentLog, onRegained: ignore };
      (await StoreLock.acquire(options)).close();
      expect(fs.readFileSync(`${file}.replaced-1`, "utf8")).toBe(TEXT);
    }));

  it("does not disturb earlier openers of the store", () =>
    withStore(
      async (store) => {
        await store.save({ number: 1 });
        fs.writeFileSync(path.join(store.dataDir, "workrail.lock"), TEXT);
        await store.save({ number: 2 });
        const other = Child.start({ type: "open", dataDir: store.dataDir });
        expect(await other.told(2)).toBe("2");
        expect((await failureOf(store.rebuild())).code).toBe("STORE_IN_USE");
        await other.done();
        expect((await store.rebuild()).checkpoints).toBe(2);
      },
      { lockWaitMs: 50 },
    ));
});

describe("the lock of a store, when the callback after taking it fails", () => {
  it("is not held, is taken again by the next work, and is never partly held", () =>
    withDirectory(async (directory) => {
      let failures = 0;
      const lock = await acquire(path.join(directory, "workrail.lock"), () => {
        if (failures === 0) return;
        failures -= 1;
        throw new Error("injected");
      });
      const both = (): Promise<readonly string[]> =>
        Promise.all([lock.shared(async () => "shared"), lock.exclusively(async () => "alone")]);
      for (failures of [1, 2, 3]) {
        await expect(lock.exclusively(async () => "alone")).rejects.toThrow("injected");
        await lock.shared(async () => "shared").catch(() => undefined);
        await lock.exclusively(async () => "alone").catch(() => undefined);
      }
      failures = 0;
      expect(await both()).toEqual(["shared", "alone"]);
      expect(await both()).toEqual(["shared", "alone"]);
      lock.close();
    }));
});

describe("the lock of a store on a disk that fails", () => {
  /** Driver whose statements fail as on a full disk when `isFull` returns true. */
  const onDisk =
    (isFull: (sql: string) => boolean): OpenDatabase =>
    (file, busyMs) => {
      const database = openDatabase(file, busyMs);
      const failing = <T>(sql: string, run: () => T): T => {
        if (isFull(sql)) throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
        return run();
      };
      return {
        exec: (sql) => failing(sql, () => database.exec(sql)),
        prepare: (sql) => failing(sql, () => database.prepare(sql)),
        close: () => database.close(),
      };
    };

  it("reports the error of exclusive work, and not the failed end of its own transaction", () =>
    withDirectory(async (directory) => {
      let isFull = false;
      const disk = onDisk((sql) => isFull && /^(COMMIT|ROLLBACK)/u.test(sql));
      const lock = await StoreLock.acquire({ ...optionsOf(path.join(directory, "workrail.lock"), ignore), openDatabase: disk });
      const work = async (): Promise<never> => {
        isFull = true;
        throw new Error("why the work failed");
      };
      await expect(lock.exclusively(work)).rejects.toThrow("why the work failed");
      isFull = false;
      expect(await lock.exclusively(async () => "alone")).toBe("alone");
      lock.close();
    }));

  it.each(["exclusively", "isAlone", "shared"] as const)(
    "is STORAGE_UNAVAILABLE whichever statement fails, and works once there is room: %s",
    (way) =>
      withDirectory(async (directory) => {
        const file = path.join(directory, "workrail.lock");
        let statements = 0;
        let failing = 0;
        const disk = onDisk(() => ++statements === failing);
        const run = (lock: StoreLock): Promise<unknown> => (way === "isAlone" ? lock.isAlone() : lock[way](async () => true));
        let hasFailed = true;
        const outcomes: unknown[] = [];
        for (let at = 1; hasFailed; at++) {
          const lock = await StoreLock.acquire({ ...optionsOf(file, ignore), openDatabase: disk });
          // Deleted, so that shared work also has to take the lock anew.
          fs.rmSync(file);
          [statements, failing] = [0, at];
          const outcome = await run(lock).catch((error: unknown) => error);
          hasFailed = statements >= at;
          if (outcome !== true) outcomes.push(outcome);
          failing = 0;
          expect(await lock.exclusively(async () => "alone")).toBe("alone");
          expect(fs.readdirSync(directory)).toEqual(["workrail.lock"]);
          lock.close();
        }
        expect(outcomes.length).toBeGreaterThan(1);
        for (const outcome of outcomes) {
          expect(outcome).toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { reason: "disk-full" }, cause: { code: "SQLITE_FULL" } });
        }
      }),
  );

  it("writes nothing, exclusive or shared", () =>
    withDirectory(async (directory) => {
      const file = path.join(directory, "workrail.lock");
      const lock = await acquire(file, ignore);
      await lock.exclusively(async () => expect(fs.readdirSync(directory)).toEqual(["workrail.lock"]));
      expect(await lock.isAlone()).toBe(true);
      lock.close();
      expect(fs.statSync(file).size).toBe(0);
    }));
});

describe("the write lock of the catalog", () => {
  it("that another process keeps causes LOCK_TIMEOUT after the given time, without blocking reads or the event loop", () =>
    withStore(
      async (store) => {
        await store.save({ number: 1 });
        const other = Child.start({ type: "lock", file: path.join(store.dataDir, "workrail.db"), begin: "BEGIN IMMEDIATE" });
        await other.told(1);
        const started = performance.now();
        let turns = 0;
        const progress = { isOver: false };
        const saving = failureOf(store.save({ number: 2 })).finally(() => {
          progress.isOver = true;
        });
        while (!progress.isOver) {
          turns += 1;
          expect(await store.contextOf()).toEqual({ number: 1 });
          await new Promise(setImmediate);
        }
        const { error } = await saving;
        expect(error).toMatchObject({ code: "LOCK_TIMEOUT", retryable: true });
        expect(performance.now() - started).toBeGreaterThanOrEqual(300);
        // Only one or two turns when waiting blocks the event loop.
        expect(turns).toBeGreaterThan(5);
        await other.done();
        expect((await store.save({ number: 2 })).record.sequence).toBe(2);
      },
      { lockWaitMs: 300 },
    ));

  it("is taken as soon as the other process releases it or is killed", () =>
    withStore(async (store) => {
      await store.save({ number: 1 });
      const other = Child.start({ type: "lock", file: path.join(store.dataDir, "workrail.db"), begin: "BEGIN IMMEDIATE" });
      await other.told(1);
      const saving = store.save({ number: 2 });
      await other.kill();
      expect((await saving).record.sequence).toBe(2);
    }));

  it("that another process keeps during the creation of a store is waited for, up to LOCK_TIMEOUT after the given time", () =>
    withDirectory(async (dataDir) => {
      const file = path.join(dataDir, "workrail.db");
      const other = Child.start({ type: "lock", file, begin: "BEGIN EXCLUSIVE" });
      await other.told(1);
      expect((await failureOf(TestStore.open(dataDir, { lockWaitMs: 30 }))).code).toBe("LOCK_TIMEOUT");
      const attempts: string[] = [];
      const openAndNote: OpenDatabase = (each, busyMs) => {
        attempts.push(each);
        return openDatabase(each, busyMs);
      };
      const opening = TestStore.open(dataDir, { lockWaitMs: 20_000, openDatabase: openAndNote });
      while (attempts.length < 3) await new Promise(setImmediate);
      await other.done();
      const store = await opening;
      await store.save({ number: 1 });
      await store.close();
    }));
});

function acquire(file: string, onRegained: () => void, waitMs = 30): Promise<StoreLock> {
  return StoreLock.acquire(optionsOf(file, onRegained, waitMs));
}

function optionsOf(file: string, onRegained: () => void, waitMs = 30): StoreLockOptions {
  return { file, fs: nodeFileSystem, log: silentLog, openDatabase, waitMs, onRegained };
}
