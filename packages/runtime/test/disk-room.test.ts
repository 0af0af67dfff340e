import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { SteppingClock } from "@workrail/storage-conformance/builders";
import { describe, expect, it, vi } from "vitest";
import type { Workrail } from "../src/workrail.ts";
import { type FailingDisk, withFailingDisk } from "./failing-disk.ts";
import { refusalOf } from "./stores.ts";

const MiB = 1024 * 1024;

/** Opens a store after its initial background work is done. */
async function opened(disk: FailingDisk, more: object = {}): Promise<Workrail> {
  await (await disk.open()).close();
  return disk.place.open({ adapters: disk.adapters(), ...more });
}

function save(workrail: Workrail, step: number): ReturnType<Workrail["saveCheckpoint"]> {
  return workrail.saveCheckpoint({ sessionId: "session", context: { step } });
}

function reserveOf(disk: FailingDisk): string {
  return path.join(disk.place.dataDir, "reserve");
}

/** Makes every write fail until the reserve is released. */
function fillUp(disk: FailingDisk): void {
  let isFull = true;
  disk.writing = () => {
    isFull &&= fs.existsSync(reserveOf(disk));
    return isFull ? "ENOSPC" : undefined;
  };
}

describe("a full disk", () => {
  it("uses the reserve for a save, and restores the reserve afterwards", () =>
    withFailingDisk(async (disk) => {
      const workrail = await opened(disk);
      expect(fs.statSync(reserveOf(disk)).size).toBe(MiB);
      fillUp(disk);
      expect(await save(workrail, 1)).toMatchObject({ status: "SAVED", durability: "disk" });
      await workrail.close();
      expect(fs.statSync(reserveOf(disk)).size).toBe(MiB);
      expect(disk.log).toEqual([]);
    }));

  it("accepts a save once the files of removed checkpoints are deleted", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await opened(disk, { limits: { maxCheckpoints: 1 } });
      const { blobPath } = await save(workrail, 1);
      const removed = path.join(disk.place.dataDir, blobPath);
      disk.removing = "EBUSY";
      await save(workrail, 2);
      disk.removing = undefined;
      disk.writing = () => (fs.existsSync(removed) ? "EDQUOT" : undefined);
      expect(await save(workrail, 3)).toMatchObject({ status: "SAVED" });
      expect(fs.existsSync(removed)).toBe(false);
    }));

  describe("without any other free space", () => {
    const START = new Date("2026-01-01T00:00:00.000Z");
    const on = (disk: FailingDisk, day: number): Promise<Workrail> =>
      disk.place.open({ adapters: { ...disk.adapters(), clock: new SteppingClock(new Date(START.getTime() + day * 86_400_000)) } });
    const saveTo = (workrail: Workrail, sessionId: string): ReturnType<Workrail["saveCheckpoint"]> =>
      workrail.saveCheckpoint({ sessionId, context: contextOf(sessionId) });
    const contextOf = (sessionId: string): object => ({ in: sessionId, noise: noise(sessionId === "new-one" ? 1 : 5) });
    const noise = (lines: number): readonly string[] =>
      Array.from({ length: lines }, (_, n) => createHash("sha256").update(`${n}`).digest("base64url"));
    /** The newest sessions were used on the day of the save; nothing fits for the new session until the file `path` is gone. */
    const fullUntilGone = (disk: FailingDisk, blobPath: string): void => {
      disk.freeBytes = 0;
      const file = path.join(disk.place.dataDir, blobPath);
      disk.writing = (begun) => (begun.includes("new-one") && fs.existsSync(file) ? "ENOSPC" : undefined);
    };

    it("removes the longest unused checkpoints for a save, reports that, and spares those tagged keep or used within a day", () =>
      withFailingDisk(async (disk) => {
        const first = await on(disk, 0);
        await saveTo(first, "kept");
        await first.keepSession("kept");
        const oldest = await saveTo(first, "oldest");
        await first.close();
        const later = await on(disk, 20);
        const young = await saveTo(later, "young");
        await later.close();
        const workrail = await on(disk, 20.5);
        fullUntilGone(disk, oldest.blobPath);
        expect(await saveTo(workrail, "new-one")).toMatchObject({ status: "SAVED", durability: "disk" });
        disk.writing = undefined;
        const { checkpoints } = await workrail.findCheckpoints({ project: null });
        expect(checkpoints.map(({ sessionId }) => sessionId)).toEqual(["new-one", "young", "kept"]);
        expect(fs.existsSync(path.join(disk.place.dataDir, young.blobPath))).toBe(true);
        const told = { reasons: ["disk-full"], sessions: 1, freedBytes: oldest.sizeBytes };
        expect(disk.log.filter(({ message }) => message.includes("cleaned up"))).toMatchObject([{ level: "warn", fields: told }]);
        await workrail.close();
      }));

    it("empties the trash before that", () =>
      withFailingDisk(async (disk) => {
        const first = await on(disk, 0);
        await saveTo(first, "rests");
        const trashed = await saveTo(first, "trashed");
        await first.cleanUp({ sessionId: "trashed" });
        await first.close();
        const workrail = await on(disk, 5);
        fullUntilGone(disk, trashed.blobPath);
        // The missing room is less than the trash holds.
        disk.freeBytes = 256 * 1024 + 100;
        expect(await saveTo(workrail, "new-one")).toMatchObject({ status: "SAVED" });
        expect(await workrail.listTrash()).toEqual([]);
        expect((await workrail.loadCheckpoint({ sessionId: "rests" })).context).toEqual(contextOf("rests"));
        await workrail.close();
      }));

    it("removes nothing when removals would not free enough", () =>
      withFailingDisk(async (disk) => {
        const first = await on(disk, 0);
        const { blobPath } = await saveTo(first, "rests");
        await first.close();
        const workrail = await on(disk, 5);
        fullUntilGone(disk, blobPath);
        const save = workrail.saveCheckpoint({ sessionId: "new-one", context: { noise: noise(200) } });
        expect((await refusalOf(save)).details).toMatchObject({ reason: "disk-full" });
        expect((await workrail.loadCheckpoint({ sessionId: "rests" })).context).toEqual(contextOf("rests"));
        await workrail.close();
      }));
  });

  it("accepts simultaneous saves in their order", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await opened(disk);
      fillUp(disk);
      const saved = await Promise.all([1, 2, 3, 4, 5].map((step) => save(workrail, step)));
      expect(saved.slice(1).map(({ parentId }) => parentId)).toEqual(saved.slice(0, -1).map(({ checkpointId }) => checkpointId));
    }));

  it("that stays full refuses a save after one retry", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await opened(disk);
      let tries = 0;
      disk.writing = (file) => {
        if (file.includes("contexts")) tries += 1;
        return "ENOSPC";
      };
      expect((await refusalOf(save(workrail, 1))).details).toMatchObject({ reason: "disk-full" });
      expect(tries).toBe(2);
      expect(fs.existsSync(reserveOf(disk))).toBe(false);
      disk.writing = undefined;
      expect(await save(workrail, 1)).toMatchObject({ status: "SAVED" });
    }));

  it.each(["EACCES", "EIO", "EMFILE"])("differs from %s, which keeps the reserve", (code) =>
    withFailingDisk(async (disk) => {
      await using workrail = await opened(disk);
      disk.writing = code;
      await refusalOf(save(workrail, 1));
      expect(fs.existsSync(reserveOf(disk))).toBe(true);
    }),
  );
});

describe("a disk with little room left", () => {
  it("is reported once until space was free again", () =>
    withFailingDisk(async (disk) => {
      const passing = async (freeBytes: number, steps: readonly number[]): Promise<unknown> => {
        disk.freeBytes = freeBytes;
        disk.log.length = 0;
        for (const step of steps) {
          const looks = disk.looks;
          await save(workrail, step);
          await vi.waitFor(() => expect(disk.looks).toBeGreaterThan(looks), { timeout: 60_000 });
        }
        return disk.log.map(({ level, message, fields }) => [level, message, fields]);
      };
      const workrail = await opened(disk);
      const told = [["warn", expect.stringContaining("nearly full"), { freeBytes: 50 * MiB }]];
      expect(await passing(50 * MiB, [1, 2, 3])).toEqual(told);
      expect(await passing(50 * MiB, [4])).toEqual([]);
      expect(await passing(100 * MiB, [5])).toEqual([]);
      expect(await passing(50 * MiB, [6])).toEqual([]);
      expect(await passing(200 * MiB, [7])).toEqual([]);
      expect(await passing(50 * MiB, [8])).toEqual(told);
      await workrail.close();
    }));
});

it("the reserve is neither damage nor garbage", () =>
  withFailingDisk(async (disk) => {
    await using workrail = await opened(disk);
    await save(workrail, 1);
    expect((await workrail.verifyStore()).findings).toEqual([]);
    expect(await workrail.collectGarbage()).toEqual({ blobs: 0, quarantined: 0, abandoned: 0 });
    await workrail.rebuildCatalog();
    await workrail.repairStore();
    expect(fs.statSync(reserveOf(disk)).size).toBe(MiB);
  }));
