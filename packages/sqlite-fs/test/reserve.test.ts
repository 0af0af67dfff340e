import fs from "node:fs";
import path from "node:path";
import { type FileSystem, nodeFileSystem } from "@workrail/blob-files";
import { expect, it } from "vitest";
import { openWithDriver } from "../src/open-sqlite-fs.ts";
import type { OpenDatabase } from "../src/sqlite-driver.ts";
import { driver, openDatabase } from "./open-database.ts";
import { withStore } from "./test-store.ts";
import { storageInUse } from "@workrail/storage-conformance/harness";

it("the reserve frees its own space and that of the write-ahead log, and loses nothing", () =>
  withStore(async (store) => {
    for (let number = 1; number <= 20; number++) await store.save({ number });
    const { reserve } = store.storage;
    expect(await reserve?.keep()).toBe(true);
    expect(fs.readdirSync(store.dataDir)).toContain("reserve");
    const log = path.join(store.dataDir, "workrail.db-wal");
    expect(fs.statSync(log).size).toBeGreaterThan(0);
    await reserve?.release();
    expect(fs.readdirSync(store.dataDir)).not.toContain("reserve");
    expect(fs.statSync(log).size).toBe(0);
    expect(await store.contextOf()).toEqual({ number: 20 });
    await store.save({ number: 21 });
    expect((await store.verify()).findings).toEqual([]);
  }));

const failure = (code: string): Error => Object.assign(new Error(`injected ${code}`), { code });

/** Opens a store with a reserve on a disk that fails with `code`, in the database or in files, while the reserve exists. */
async function openWithReserve(
  where: "the database" | "a file",
  code: string,
): Promise<{ error?: unknown; number?: unknown; hasReserve: boolean }> {
  let result: { error?: unknown; number?: unknown } = {};
  let hasReserve = true;
  await withStore(async (store) => {
    await store.save({ number: 1 });
    await store.storage.reserve?.keep();
    const { dataDir } = store;
    await store.close();
    // Opening must have a file to create.
    fs.rmSync(path.join(dataDir, "workrail.lock"));
    const reserve = path.join(dataDir, "reserve");
    const check = (place: typeof where): void => {
      if (place === where && fs.existsSync(reserve)) throw failure(code);
    };
    const files: FileSystem = {
      ...nodeFileSystem,
      create(file) {
        check("a file");
        return nodeFileSystem.create(file);
      },
    };
    const open: OpenDatabase = (file, busyMs) => {
      const database = openDatabase(file, busyMs);
      const exec = (sql: string): unknown => {
        if (sql.includes("journal_mode")) check("the database");
        return database.exec(sql);
      };
      return { exec, prepare: (sql) => database.prepare(sql), close: () => database.close() };
    };
    result = await openWithDriver({ dataDir, fs: files }, driver, { openDatabase: open }).then(
      async (storage) => {
        const number = (await storageInUse(storage).catalog.head("session" as never))?.sequence;
        await storage.close();
        return { number };
      },
      (error: unknown) => ({ error }),
    );
    hasReserve = fs.existsSync(reserve);
  });
  return { ...result, hasReserve };
}

it.each([
  ["the database", "SQLITE_IOERR_SHMSIZE"],
  ["the database", "SQLITE_FULL"],
  ["a file", "ENOSPC"],
  ["a file", "EDQUOT"],
] as const)("the reserve is released when a store cannot be opened on a full disk: %s fails with %s", async (where, code) => {
  expect(await openWithReserve(where, code)).toEqual({ number: 1, hasReserve: false });
});

it("the reserve stays when a store cannot be opened for another reason", async () => {
  const error = expect.objectContaining({ code: "STORAGE_UNAVAILABLE" });
  expect(await openWithReserve("a file", "EACCES")).toEqual({ error, hasReserve: true });
});
