import fs from "node:fs";
import path from "node:path";
import { type FileSystem, nodeFileSystem, openSqliteFs } from "@workrail/sqlite-fs";
import { describe, expect, it } from "vitest";
import type { Adapters } from "../src/container.ts";
import type { Workrail } from "../src/workrail.ts";
import { onDisk, type Place, refusalOf } from "./stores.ts";

/** Saves one checkpoint in each session, in this order. */
async function savedSessions(place: Place, ...sessions: readonly string[]): Promise<void> {
  await using store = await place.open();
  for (const sessionId of sessions) {
    await store.saveCheckpoint({ sessionId, checkpointId: `of-${sessionId}`, context: { text: `word${sessionId}` } });
  }
}

it.each([
  ["files beside a database", {}],
  ["files alone", { WORKRAIL_SQLITE_DRIVER: "none" }],
])("a file in the place of the newest session's directory does not affect other sessions: %s", (_kind, env) =>
  onDisk(async (place) => {
    await savedSessions(place, "good", "bad");
    fs.renameSync(path.join(place.dataDir, "contexts", "bad"), path.join(place.dataDir, "moved"));
    fs.writeFileSync(path.join(place.dataDir, "contexts", "bad"), "a stray file");
    for (const readOnly of [true, false]) {
      await using store = await place.open({ env: { WORKRAIL_READ_ONLY: String(readOnly) } });
      expect((await store.loadCheckpoint({ sessionId: "good" })).context).toEqual({ text: "wordgood" });
      expect((await store.findCheckpoints({})).checkpoints).toHaveLength(2);
    }
    await using store = await place.open();
    expect(await store.saveCheckpoint({ sessionId: "good", context: { step: 2 } })).toMatchObject({ durability: "disk" });
  }, env),
);

/** A disk that fails to read some files with EIO until it is repaired. */
function failing(place: Place, isBad: (file: string) => boolean): { open(): Promise<Workrail>; repair(): void } {
  let isRepaired = false;
  const read: FileSystem["read"] = (file) => {
    if (!isRepaired && isBad(file)) throw Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" });
    return nodeFileSystem.read(file);
  };
  const storage: Adapters["storage"] = ({ dataDir, lockWaitMs }) => openSqliteFs({ dataDir, lockWaitMs, fs: { ...nodeFileSystem, read } });
  return { open: () => place.open({ adapters: { storage } }), repair: () => void (isRepaired = true) };
}

const isBad = (file: string): boolean => file.endsWith("of-bad.json.gz");

describe("a checkpoint's file that the disk fails to read", () => {
  it("is named and left in place, and all others are verified, repaired, scanned, exported and backed up", () =>
    onDisk(async (place) => {
      await savedSessions(place, "one", "bad", "two");
      const disk = failing(place, isBad);
      const file = path.join(place.dataDir, "contexts", "bad", "of-bad.json.gz");
      const [folder, backup] = ["exported", "backup"].map((name) => path.join(path.dirname(place.dataDir), name)) as [string, string];
      {
        await using store = await disk.open();
        const finding = { kind: "unreadable", checkpointId: "of-bad", reason: `It cannot be read: EIO, ${file}` };
        expect(await store.verifyStore()).toMatchObject({ checkpoints: 3, marked: 0, orphans: [], findings: [finding] });
        expect(await store.repairStore()).toMatchObject({ repaired: [], left: [finding] });
        expect(await store.scanStore()).toMatchObject({ checkpoints: 3, unreadable: ["of-bad"] });
        const { exports } = await store.exportAll(folder);
        expect(exports.flatMap(({ unreadable }) => unreadable)).toEqual([{ checkpointId: "of-bad", code: "STORAGE_UNAVAILABLE" }]);
        const unreadable = [{ sessionId: "bad", checkpointId: "of-bad", code: "STORAGE_UNAVAILABLE" }];
        expect(await store.backup(backup)).toMatchObject({ checkpoints: 2, isComplete: true, unreadable });
        const refusal = await refusalOf(store.loadCheckpoint({ checkpointId: "of-bad" }));
        expect(refusal).toMatchObject({ code: "STORAGE_UNAVAILABLE", message: expect.stringContaining(file) });
        disk.repair();
        expect((await store.verifyStore()).findings).toEqual([]);
        expect((await store.loadCheckpoint({ checkpointId: "of-bad" })).context).toEqual({ text: "wordbad" });
      }
      expect(fs.existsSync(path.join(place.dataDir, "quarantine"))).toBe(false);
    }));

  it("stops a rebuild, because a catalog without it could later treat it as removed", () =>
    onDisk(async (place) => {
      await savedSessions(place, "one", "bad", "two");
      const disk = failing(place, isBad);
      {
        await using store = await disk.open();
        expect(await refusalOf(store.rebuildCatalog())).toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { reason: "input-output" } });
        expect((await store.findCheckpoints({})).total).toBe(3);
      }
      place.loseCatalog();
      expect(await refusalOf(disk.open())).toMatchObject({ code: "STORAGE_UNAVAILABLE" });
      disk.repair();
      await using store = await disk.open();
      expect((await store.findCheckpoints({})).total).toBe(3);
      expect((await store.loadCheckpoint({ checkpointId: "of-bad" })).context).toEqual({ text: "wordbad" });
    }));

  it("does not hide other files, and is found once it is readable", () =>
    onDisk(async (place) => {
      await savedSessions(place, "one", "bad", "two");
      const search = async (store: Workrail, query: string): Promise<readonly unknown[]> => {
        const { hits, indexPending } = await store.searchCheckpoints({ query });
        return [...hits.map(({ checkpoint }) => checkpoint.id), indexPending];
      };
      const disk = failing(place, isBad);
      {
        await using store = await disk.open();
        await store.saveCheckpoint({ sessionId: "later", checkpointId: "of-later", context: { text: "wordlater" } });
        await store.saveCheckpoint({ sessionId: "bad", checkpointId: "after-bad", context: { text: "wordafter" } });
        for (const word of ["one", "two", "later"]) expect(await search(store, `word${word}`)).toEqual([`of-${word}`, 1]);
        expect(await search(store, "wordafter")).toEqual(["after-bad", 1]);
        expect(await search(store, "wordbad")).toEqual([1]);
      }
      disk.repair();
      await using store = await disk.open();
      expect(await search(store, "wordbad")).toEqual(["of-bad", undefined]);
    }));
});

it("fails verify, backup and rebuild on an unreadable disk, marks no checkpoint as damaged, and keeps the catalog", () =>
  onDisk(async (place) => {
    await savedSessions(place, "a", "b", "c", "d", "e");
    const disk = failing(place, (file) => file.endsWith(".json.gz"));
    await using store = await disk.open();
    const backup = path.join(path.dirname(place.dataDir), "backup");
    for (const work of [() => store.verifyStore(), () => store.repairStore(), () => store.backup(backup), () => store.rebuildCatalog()]) {
      expect(await refusalOf(work())).toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { reason: "input-output" } });
    }
    expect(fs.existsSync(backup)).toBe(false);
    disk.repair();
    expect(await store.verifyStore()).toMatchObject({ checkpoints: 5, marked: 0, findings: [] });
  }));

it.each([
  ["a directory", (file: string) => fs.mkdirSync(file)],
  ["a link", (file: string) => fs.symlinkSync("/etc/hostname", file)],
])("%s in the place of a checkpoint's file is named, also by a rebuild", (_what, put) =>
  onDisk(async (place) => {
    await savedSessions(place, "one", "bad");
    const file = path.join(place.dataDir, "contexts", "bad", "of-bad.json.gz");
    fs.renameSync(file, `${place.dataDir}-kept`);
    put(file);
    await using store = await place.open();
    expect((await store.verifyStore()).findings).toMatchObject([{ kind: "unreadable", checkpointId: "of-bad" }]);
    const unreadable = [{ ref: "contexts/bad/of-bad.json.gz", code: "STORAGE_UNAVAILABLE" }];
    expect(await store.rebuildCatalog()).toMatchObject({ checkpoints: 1, unreadable });
    expect((await store.verifyStore()).findings).toMatchObject([{ kind: "unreadable", ref: "contexts/bad/of-bad.json.gz" }]);
  }),
);
