import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { nodeFileSystem } from "@workrail/blob-files";
import { openMemoryStorage } from "@workrail/memory";
import { describe, expect, it, vi } from "vitest";
import { restoreBackup } from "../src/restore-backup.ts";
import type { RestoreOptions, RestoreResult } from "../src/restore-options.ts";
import { onDisk, type Place, readAudit, refusalOf } from "./stores.ts";

/** Returns all names below a directory. */
function everythingIn(directory: string): readonly string[] {
  return fs.readdirSync(directory, { recursive: true }).map(String).toSorted();
}

/** Creates a store with one checkpoint, and a backup of it. */
async function withBackup(test: (place: Place, backup: string) => Promise<void>): Promise<void> {
  await onDisk(async (place) => {
    const backup = path.join(path.dirname(place.dataDir), "backups", "one");
    await using store = await place.open();
    await store.saveCheckpoint({ sessionId: "s", context: { step: 1 } });
    await store.backup(backup);
    await store.close();
    await test(place, backup);
  });
}

function restored(backup: string, dataDir: string, replace = false): Promise<RestoreResult> {
  return restoreBackup(backup, { dataDir, replace, env: { WORKRAIL_LOCK_TIMEOUT_MS: "50" } });
}

async function stepIn(place: Place, dataDir = place.dataDir): Promise<unknown> {
  await using store = await place.open({ dataDir });
  return (await store.loadCheckpoint({ sessionId: "s" })).context["step"];
}

describe("a backup", () => {
  it("is a directory with the files of the store, and a list of them", () =>
    onDisk(async (place) => {
      const backup = path.join(path.dirname(place.dataDir), "backup");
      await using store = await place.open();
      const { blobPath, sizeBytes } = await store.saveCheckpoint({ sessionId: "s", context: { step: 1 } });
      const { createdAt, ...result } = await store.backup(backup);
      expect(result).toEqual({
        directory: backup,
        checkpoints: 1,
        trashed: 0,
        sessions: 1,
        unreadable: [],
        bytes: sizeBytes,
        isComplete: true,
      });
      expect(everythingIn(backup)).toEqual(["backup.json", "contexts", "contexts/s", blobPath, "contexts/s/metadata.json"].toSorted());
      const manifest = JSON.parse(fs.readFileSync(path.join(backup, "backup.json"), "utf8")) as { files: unknown[] };
      expect(manifest).toMatchObject({ workrailBackup: 1, createdAt, checkpoints: 1, writer: expect.stringMatching(/^workrail\//) });
      expect(manifest.files).toContainEqual({ path: blobPath, sizeBytes, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect(readAudit(place.dataDir).map(({ action }) => action)).toEqual(["save", "backup"]);
    }));

  it.skipIf(process.platform === "win32")("is accessible to the owner alone", () =>
    withBackup(async (_place, backup) => {
      for (const name of [".", ...everythingIn(backup)]) expect(fs.statSync(path.join(backup, name)).mode & 0o077).toBe(0);
    }),
  );

  it("replaces no file, and is not written into the store", () =>
    withBackup(async (place, backup) => {
      await using store = await place.open();
      const file = path.join(path.dirname(backup), "file");
      fs.writeFileSync(file, "mine");
      for (const directory of [backup, file, path.join(place.dataDir, "contexts", "backup"), place.dataDir]) {
        expect(await refusalOf(store.backup(directory))).toMatchObject({ code: "INVALID_INPUT", details: { path: directory } });
      }
      expect(fs.readdirSync(path.dirname(backup)).toSorted()).toEqual(["file", "one"]);
      expect(everythingIn(place.dataDir).filter((name) => name.includes("backup"))).toEqual([]);
      const empty = path.join(path.dirname(backup), "empty");
      fs.mkdirSync(empty);
      expect(await store.backup(empty)).toMatchObject({ checkpoints: 1 });
    }));

  it("can be used as a data directory, without a restore", () =>
    withBackup(async (place, backup) => {
      expect(await stepIn(place, backup)).toBe(1);
    }));
});

describe("restoring a backup", () => {
  it("creates a store when there is none", () =>
    withBackup(async (place, backup) => {
      const dataDir = path.join(path.dirname(backup), "new");
      const { createdAt, ...result } = await restored(backup, dataDir);
      expect(result).toEqual({ dataDir, checkpoints: 1, trashed: 0, sessions: 1, unreadable: [], keptAside: undefined });
      expect(new Date(createdAt).getTime()).not.toBeNaN();
      expect(await stepIn(place, dataDir)).toBe(1);
      expect(fs.readdirSync(path.dirname(backup)).toSorted()).toEqual(["new", "one"]);
    }));

  it("refuses invalid input before it does anything: no directory, no options, unknown parts, another storage", () =>
    withBackup(async (_place, backup) => {
      const dataDir = path.join(path.dirname(backup), "new");
      const wrong = async (directory: unknown, options: unknown): Promise<unknown> => {
        const { code, details } = await refusalOf(restoreBackup(directory as string, options as RestoreOptions));
        return [code, details["field"]];
      };
      const env = {};
      expect(await wrong(undefined, { dataDir, env })).toEqual(["INVALID_INPUT", "directory"]);
      expect(await wrong("", { dataDir, env })).toEqual(["INVALID_INPUT", "directory"]);
      expect(await wrong(backup, null)).toEqual(["INVALID_INPUT", "options"]);
      expect(await wrong(backup, { dataDir, env, adapters: { clok: {} } })).toEqual(["INVALID_INPUT", "adapters.clok"]);
      const storage = () => openMemoryStorage();
      expect(await wrong(backup, { dataDir, env, adapters: { storage } })).toEqual(["INVALID_INPUT", "adapters.storage"]);
      expect(fs.existsSync(dataDir)).toBe(false);
    }));

  it("says that the next opening finishes a restore whose catalog found no room", () =>
    withBackup(async (place, backup) => {
      const dataDir = `${place.dataDir}-2`;
      const rename = nodeFileSystem.rename.bind(nodeFileSystem);
      const spy = vi.spyOn(nodeFileSystem, "rename").mockImplementation((from, to) => {
        if (to === path.join(dataDir, "workrail.db")) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
        rename(from, to);
      });
      const { code, details, hint } = await refusalOf(restored(backup, dataDir));
      spy.mockRestore();
      expect({ code, details }).toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { reason: "disk-full" } });
      expect(hint).toBe(
        `Free space on the disk of the data directory. The files are in ${dataDir}: any command on that store finishes the restore.`,
      );
      expect(await stepIn(place, dataDir)).toBe(1);
    }));

  it("replaces a store only when it may, and keeps the old one", () =>
    withBackup(async (place, backup) => {
      await using store = await place.open();
      await store.saveCheckpoint({ sessionId: "s", context: { step: 2 } });
      await store.close();
      expect(await refusalOf(restored(backup, place.dataDir))).toMatchObject({ code: "INVALID_INPUT", details: { path: place.dataDir } });
      expect(await stepIn(place)).toBe(2);
      const { keptAside = "" } = await restored(backup, place.dataDir, true);
      expect(path.relative(place.dataDir, keptAside)).toBe("replaced-1");
      expect([await stepIn(place), await stepIn(place, keptAside)]).toEqual([1, 2]);
    }));

  it("replaces a store that is used without SQLite too", () =>
    withBackup(async (place, backup) => {
      const env = { WORKRAIL_SQLITE_DRIVER: "none" };
      const dataDir = path.join(path.dirname(place.dataDir), "files");
      await using store = await place.open({ dataDir, env });
      await store.saveCheckpoint({ sessionId: "s", context: { step: 2 } });
      const second = path.join(path.dirname(backup), "two");
      await store.backup(second);
      await store.close();
      const { keptAside = "" } = await restoreBackup(backup, { dataDir, env, replace: true });
      await using restored = await place.open({ dataDir, env });
      expect((await restored.loadCheckpoint({ sessionId: "s" })).context).toEqual({ step: 1 });
      await using before = await place.open({ dataDir: keptAside, env });
      expect((await before.loadCheckpoint({ sessionId: "s" })).context).toEqual({ step: 2 });
      expect(await stepIn(place, second)).toBe(2);
    }));

  it("of a sealed store needs its key, before anything is moved; the replaced store needs none", () =>
    withBackup(async (place, clear) => {
      const sealed = path.join(path.dirname(clear), "sealed");
      const sealedDir = path.join(path.dirname(place.dataDir), "sealed");
      const key = { WORKRAIL_ENCRYPTION_KEY: "11".repeat(32) };
      await using store = await place.open({ dataDir: sealedDir, env: { ...key, WORKRAIL_ENCRYPTION: "enabled" } });
      await store.saveCheckpoint({ sessionId: "s", context: { step: 2 } });
      await store.backup(sealed);
      await store.close();
      const before = everythingIn(place.dataDir);
      for (const [env, code] of [
        [{}, "KEY_UNAVAILABLE"],
        [{ WORKRAIL_ENCRYPTION_KEY: "22".repeat(32) }, "KEY_UNAVAILABLE"],
        [{ ...key, WORKRAIL_ENCRYPTION: "disabled" }, "INVALID_INPUT"],
      ] as const) {
        const refusal = await refusalOf(restoreBackup(sealed, { dataDir: place.dataDir, replace: true, env }));
        expect(refusal).toMatchObject({ code, details: { path: sealed } });
        expect(everythingIn(place.dataDir)).toEqual(before);
      }
      expect(await stepIn(place)).toBe(1);
      const { keptAside } = await restored(clear, sealedDir, true);
      expect(keptAside).toBeDefined();
      expect(await stepIn(place, sealedDir)).toBe(1);
      await restoreBackup(sealed, { dataDir: place.dataDir, replace: true, env: key });
      await using replaced = await place.open({ env: key });
      expect((await replaced.loadCheckpoint({ sessionId: "s" })).context).toEqual({ step: 2 });
    }));

  it("is refused while the store is in use", () =>
    withBackup(async (place, backup) => {
      await using store = await place.open();
      const before = everythingIn(place.dataDir);
      expect((await refusalOf(restored(backup, place.dataDir, true))).code).toBe("STORE_IN_USE");
      expect(everythingIn(place.dataDir)).toEqual(before);
      expect((await store.loadCheckpoint({ sessionId: "s" })).context).toEqual({ step: 1 });
    }));

  it("detects any damage, and then changes nothing", () =>
    withBackup(async (place, backup) => {
      const before = everythingIn(path.dirname(place.dataDir));
      const nowhere = path.join(path.dirname(backup), "new");
      for (const name of everythingIn(backup).filter((each) => /\.(?:gz|json)$/.test(each))) {
        const file = path.join(backup, name);
        const bytes = fs.readFileSync(file);
        const flipped = bytes.map((byte, index) => (index === bytes.length >> 1 ? byte ^ 1 : byte));
        for (const damage of [
          () => fs.writeFileSync(file, flipped),
          () => fs.writeFileSync(file, bytes.subarray(1)),
          () => fs.rmSync(file),
        ]) {
          damage();
          const isNoBackup = name === "backup.json" && !fs.existsSync(file);
          for (const [dataDir, replace] of [[nowhere], [place.dataDir, true]] as const) {
            expect((await refusalOf(restored(backup, dataDir, replace))).code).toBe(isNoBackup ? "INVALID_INPUT" : "CHECKPOINT_CORRUPT");
          }
          fs.writeFileSync(file, bytes);
        }
      }
      expect(everythingIn(path.dirname(place.dataDir))).toEqual(before);
    }));

  it("refuses files outside of it in its list, and a newer format", () =>
    withBackup(async (place, backup) => {
      const file = path.join(backup, "backup.json");
      const manifest = JSON.parse(fs.readFileSync(file, "utf8")) as { files: { path: string }[] };
      fs.writeFileSync(file, JSON.stringify({ ...manifest, workrailBackup: 2 }));
      expect((await refusalOf(restored(backup, place.dataDir, true))).code).toBe("UNSUPPORTED_VERSION");
      const { workrailBackup, check: _, ...contents } = manifest as Record<string, unknown> & typeof manifest;
      const evil = { ...contents, files: manifest.files.map((each) => ({ ...each, path: "contexts/../../data/workrail.db" })) };
      const digest = createHash("sha256").update(JSON.stringify(evil)).digest("hex");
      fs.writeFileSync(file, JSON.stringify({ workrailBackup, check: digest, ...evil }));
      const { code, details } = await refusalOf(restored(backup, place.dataDir, true));
      expect({ code, files: details["files"] }).toEqual({
        code: "CHECKPOINT_CORRUPT",
        files: expect.arrayContaining(["contexts/../../data/workrail.db"]),
      });
    }));
});
