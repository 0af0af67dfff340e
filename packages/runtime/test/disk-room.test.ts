import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { Workrail } from "../src/workrail.ts";
import { type FailingDisk, withFailingDisk } from "./failing-disk.ts";
import { refusalOf } from "./stores.ts";

const MiB = 1024 * 1024;

/** Opened, with all that is done soon after done. */
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

/** Until the reserve is given up nothing fits. */
function fillUp(disk: FailingDisk): void {
  let isFull = true;
  disk.writing = () => {
    isFull &&= fs.existsSync(reserveOf(disk));
    return isFull ? "ENOSPC" : undefined;
  };
}

describe("a full disk", () => {
  it("takes a save all the same, in the room that was kept for it, which is kept again afterwards", () =>
    withFailingDisk(async (disk) => {
      const workrail = await opened(disk);
      expect(fs.statSync(reserveOf(disk)).size).toBe(MiB);
      fillUp(disk);
      expect(await save(workrail, 1)).toMatchObject({ status: "SAVED", durability: "disk" });
      await workrail.close();
      expect(fs.statSync(reserveOf(disk)).size).toBe(MiB);
      expect(disk.log).toEqual([]);
    }));

  it("takes a save once what was removed from the store is off the disk", () =>
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

  it("takes saves that came together in their order", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await opened(disk);
      fillUp(disk);
      const saved = await Promise.all([1, 2, 3, 4, 5].map((step) => save(workrail, step)));
      expect(saved.slice(1).map(({ parentId }) => parentId)).toEqual(saved.slice(0, -1).map(({ checkpointId }) => checkpointId));
    }));

  it("that stays full refuses a save after one more try", () =>
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

  it.each(["EACCES", "EIO", "EMFILE"])("is not what %s means: the reserve stays", (code) =>
    withFailingDisk(async (disk) => {
      await using workrail = await opened(disk);
      disk.writing = code;
      await refusalOf(save(workrail, 1));
      expect(fs.existsSync(reserveOf(disk))).toBe(true);
    }),
  );
});

describe("a disk with little room left", () => {
  it("is told of once, until there was more again", () =>
    withFailingDisk(async (disk) => {
      const passing = async (freeBytes: number, steps: readonly number[]): Promise<unknown> => {
        disk.freeBytes = freeBytes;
        disk.log.length = 0;
        for (const step of steps) {
          const looks = disk.looks;
          await save(workrail, step);
          await vi.waitFor(() => expect(disk.looks).toBeGreaterThan(looks));
        }
        return disk.log.map(({ level, message, fields }) => [level, message, fields]);
      };
      const workrail = await opened(disk);
      const told = [["warn", expect.stringContaining("little room"), { freeBytes: 50 * MiB }]];
      expect(await passing(50 * MiB, [1, 2, 3])).toEqual(told);
      expect(await passing(50 * MiB, [4])).toEqual([]);
      expect(await passing(100 * MiB, [5])).toEqual([]);
      expect(await passing(50 * MiB, [6])).toEqual([]);
      expect(await passing(200 * MiB, [7])).toEqual([]);
      expect(await passing(50 * MiB, [8])).toEqual(told);
      await workrail.close();
    }));
});

it("the reserve is no damage and no garbage", () =>
  withFailingDisk(async (disk) => {
    await using workrail = await opened(disk);
    await save(workrail, 1);
    expect((await workrail.verifyStore()).findings).toEqual([]);
    expect(await workrail.collectGarbage()).toEqual({ blobs: 0, quarantined: 0, abandoned: 0 });
    await workrail.rebuildCatalog();
    await workrail.repairStore();
    expect(fs.statSync(reserveOf(disk)).size).toBe(MiB);
  }));
