import fs from "node:fs";
import path from "node:path";
import { BackupDirectory, type FileSystem, nodeFileSystem, restoreInPlace, StoredBackup } from "@workrail/blob-files";
import { Faults, withFaults } from "@workrail/storage-conformance/harness";
import { describe, expect, it } from "vitest";
import { Child } from "./child-process.ts";
import { failureOf, TestStore, withDirectory, withOpened } from "./test-store.ts";

/** Runs a test with a backup of step 1 and a store that has a later step. */
async function withBackup(test: (dataDir: string, backup: string) => Promise<void>): Promise<void> {
  await withDirectory(async (directory) => {
    const [dataDir, backup] = [path.join(directory, "data"), path.join(directory, "backup")];
    await withOpened(dataDir, async (store) => {
      await store.save({ step: 1 });
      await store.backup(await BackupDirectory.create({ directory: backup, dataDir }));
      await store.save({ step: 2 });
    });
    await test(dataDir, backup);
  });
}

/** Restores a backup in place under the exclusive lock, and closes the store. */
async function restore(dataDir: string, backup: string, files: FileSystem = nodeFileSystem): Promise<void> {
  const stored = await StoredBackup.open(backup, files);
  await withOpened(dataDir, (store) => store.storage.locking.exclusively(() => restoreInPlace(stored, dataDir, files)), { lockWaitMs: 50 });
}

/** Opens the store, verifies it and returns the step of its head. */
async function stepIn(dataDir: string): Promise<unknown> {
  return withOpened(dataDir, async (store) => {
    await store.recover();
    expect((await store.verify()).findings).toEqual([]);
    return (await store.contextOf())["step"];
  });
}

function crashingAt(operation: number): FileSystem {
  const faults = new Faults();
  faults.arm({ kind: "crashes", at: operation, persistent: true, code: "EIO" });
  return withFaults(nodeFileSystem, faults, { throws: true });
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

describe("restoring into the place of a store", () => {
  it("keeps the old store, complete", () =>
    withBackup(async (dataDir, backup) => {
      await restore(dataDir, backup);
      expect(await stepIn(dataDir)).toBe(1);
      expect(fs.readdirSync(dataDir)).toEqual(expect.arrayContaining(["contexts", "replaced-1", "workrail.db", "workrail.lock"]));
      await restore(dataDir, backup);
      expect(await stepIn(dataDir)).toBe(1);
      for (const [number, step] of [
        [1, 2],
        [2, 1],
      ]) {
        // The kept directory is a complete data directory.
        await withOpened(path.join(dataDir, `replaced-${number}`), async (store) => {
          expect(await store.recover()).toBe(undefined);
          expect((await store.contextOf())["step"]).toBe(step);
        });
      }
    }));

  it("leaves the old store or the new one, wherever it is interrupted", () =>
    withBackup(async (dataDir, backup) => {
      let operation = 1;
      while (!(await succeeds(restore(dataDir, backup, crashingAt(operation))))) {
        // Until the last rename the store is unchanged; with the rename it becomes the backup's.
        const step = await stepIn(dataDir);
        expect([1, 2]).toContain(step);
        if (step === 1) break;
        operation += 1;
      }
      expect(operation).toBeGreaterThan(10);
      expect(await stepIn(dataDir)).toBe(1);
    }));

  it("is finished by the next opener after an interruption at any point", () =>
    withBackup(async (dataDir, backup) => {
      await restore(dataDir, backup);
      let operation = 1;
      for (; ; operation++) {
        const copy = `${dataDir}-${operation}`;
        fs.cpSync(dataDir, copy, { recursive: true });
        if (await succeeds(openAndClose(copy, crashingAt(operation)))) break;
        expect([await stepIn(copy), await stepIn(path.join(copy, "replaced-1"))]).toEqual([1, 2]);
      }
      expect(operation).toBeGreaterThan(10);
    }));

  it("moves a database in use away together with its -wal", () =>
    withBackup(async (dataDir, backup) => {
      const copy = `${dataDir}-copy`;
      await withOpened(dataDir, async (store) => {
        await store.save({ step: 3 });
        await store.storage.locking.exclusively(async () => {
          await restoreInPlace(await StoredBackup.open(backup), dataDir);
          // State as after a kill at this moment.
          fs.cpSync(dataDir, copy, { recursive: true });
        });
      });
      expect(fs.statSync(path.join(copy, "workrail.db-wal")).size).toBeGreaterThan(0);
      expect(await stepIn(copy)).toBe(1);
      await withOpened(path.join(copy, "replaced-1"), async (store) => {
        expect(await store.recover()).toBe(undefined);
        expect((await store.contextOf())["step"]).toBe(3);
      });
    }));

  it("is refused while another process has the store open, and changes nothing", () =>
    withBackup(async (dataDir, backup) => {
      const other = Child.start({ type: "open", dataDir });
      await other.told(2);
      const before = fs.readdirSync(dataDir);
      expect((await failureOf(restore(dataDir, backup))).code).toBe("STORE_IN_USE");
      expect(fs.readdirSync(dataDir)).toEqual(before);
      await other.done();
      expect(await stepIn(dataDir)).toBe(2);
    }));

  it("closes the store for earlier openers until they open it again", () =>
    withBackup(async (dataDir, backup) => {
      const store = await TestStore.open(dataDir, { lockWaitMs: 50 });
      try {
        // The restore is stopped right after its decision.
        await store.storage.locking.exclusively(async () => restoreInPlace(await StoredBackup.open(backup), dataDir));
        for (const attempt of [() => store.save({ step: 3 }), () => store.load(), () => store.rebuild()]) {
          expect(await failureOf(attempt())).toMatchObject({ code: "STORAGE_UNAVAILABLE", reason: "restore-unfinished" });
        }
      } finally {
        await store.close();
      }
      expect(await stepIn(dataDir)).toBe(1);
    }));

  it("is finished once by many concurrent openers", () =>
    withBackup(async (dataDir, backup) => {
      await restore(dataDir, backup);
      const children = Array.from({ length: 4 }, () => Child.start({ type: "open", dataDir }));
      expect(await Promise.all(children.map((child) => child.told(2)))).toEqual(["1", "1", "1", "1"]);
      await Promise.all(children.map((child) => child.done()));
      expect(fs.readdirSync(dataDir).filter((name) => name.startsWith("replaced-"))).toEqual(["replaced-1"]);
    }));
});

async function openAndClose(dataDir: string, files: FileSystem): Promise<void> {
  const store = await TestStore.open(dataDir, { fs: files, lockWaitMs: 50 });
  await store.close();
}
