import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { TestStore, withDirectory, withOpened } from "./test-store.ts";

/** Saves to a store and leaves a copy as after a kill, with all records in the `-wal`. */
async function killedAfter(numbers: readonly number[], test: (dataDir: string) => Promise<void>): Promise<void> {
  await withDirectory(async (directory) => {
    const dataDir = path.join(directory, "killed");
    await withOpened(path.join(directory, "data"), async (store) => {
      for (const number of numbers) await store.save({ number });
      fs.cpSync(store.dataDir, dataDir, { recursive: true });
    });
    await test(dataDir);
  });
}

/** Opens a store and recovers it, as an app does. */
async function recovered(dataDir: string): Promise<{ readonly isRebuilt: boolean; readonly latest: unknown }> {
  const store = await TestStore.open(dataDir);
  try {
    const isRebuilt = (await store.recover()) !== undefined;
    return { isRebuilt, latest: (await store.load()).context["number"] };
  } finally {
    await store.close();
  }
}

describe("the mark of the last commit", () => {
  it.each([0.5, 0.8, 0.95, 0.999])("detects a -wal that lost its end from %d on, and a rebuild restores all", (place) =>
    killedAfter([1, 2, 3], async (dataDir) => {
      const wal = path.join(dataDir, "workrail.db-wal");
      fs.truncateSync(wal, Math.floor(fs.statSync(wal).size * place));
      expect(await recovered(dataDir)).toEqual({ isRebuilt: true, latest: 3 });
      expect(await recovered(dataDir)).toEqual({ isRebuilt: false, latest: 3 });
    }),
  );

  it("detects an older copy in the place of the database", () =>
    withDirectory(async (directory) => {
      const dataDir = path.join(directory, "data");
      const [file, copy] = [path.join(dataDir, "workrail.db"), path.join(directory, "copy.db")];
      await withOpened(dataDir, async (store) => void (await store.save({ number: 1 })));
      fs.copyFileSync(file, copy);
      await withOpened(dataDir, async (store) => void (await store.save({ number: 2 })));
      fs.copyFileSync(copy, file);
      expect(await recovered(dataDir)).toEqual({ isRebuilt: true, latest: 2 });
    }));

  it.each<[string, (mark: string) => void]>([
    ["is missing", (mark) => fs.rmSync(mark)],
    ["is empty", (mark) => fs.writeFileSync(mark, "")],
    ["was hit by a flipped bit", (mark) => fs.writeFileSync(mark, fs.readFileSync(mark, "latin1").replace(/0(?=\d* \w+ \w+\n$)/, "1"))],
    ["is one of another database", (mark) => fs.writeFileSync(mark, fs.readFileSync(mark, "latin1").replace(/^\d/, "7"))],
  ])("is ignored when it %s", (_, spoil) =>
    killedAfter([1, 2], async (dataDir) => {
      spoil(path.join(dataDir, "workrail.db-mark"));
      expect(await recovered(dataDir)).toEqual({ isRebuilt: false, latest: 2 });
    }),
  );

  it("stays ahead of the database when it is used on after a loss of commits", () =>
    killedAfter([1, 2, 3, 4, 5, 7, 8, 9], async (dataDir) => {
      const wal = path.join(dataDir, "workrail.db-wal");
      fs.truncateSync(wal, Math.floor(fs.statSync(wal).size * 0.7));
      await withOpened(dataDir, async (store) => void (await store.save({ number: 6 }, { force: true })));
      expect(await recovered(dataDir)).toEqual({ isRebuilt: true, latest: 6 });
    }));
});
