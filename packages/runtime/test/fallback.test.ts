import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { bundleProgram } from "@workrail/programs";
import { openSqliteFs } from "@workrail/sqlite-fs";
import { WorkrailError } from "@workrail/core";
import { tally } from "@workrail/storage-conformance/harness";
import { describe, expect, it, vi } from "vitest";
import { Compactor } from "../src/compactor.ts";
import type { Adapters } from "../src/container.ts";
import { Store } from "../src/store.ts";
import type { Workrail } from "../src/workrail.ts";
import { afterAppend, obstruct, withFailingDisk } from "./failing-disk.ts";
import { onDisk, refusalOf } from "./stores.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

const CHILD = await bundleProgram(new URL("./kept-then-killed.ts", import.meta.url));
const SESSION = { sessionId: "session" };
/** Kills at every n-th file operation, fewer than a save takes, since each try takes a process; `npm run test:faults` tests each. */
const STRIDE = IS_LONG ? 1 : 9;

async function step(workrail: Workrail, number: number, more: object = {}): Promise<string> {
  return (await workrail.saveCheckpoint({ ...SESSION, context: { step: number }, ...more })).checkpointId;
}

/** Makes a save that only memory keeps, and returns the checkpoint's id. */
async function kept(workrail: Workrail, number: number, more: object = {}): Promise<string> {
  const { code, details } = await refusalOf(workrail.saveCheckpoint({ ...SESSION, context: { step: number }, ...more }));
  expect([code, details]).toMatchObject(["STORAGE_UNAVAILABLE", { retained: "memory", durability: "memory" }]);
  tally({ tries: 0, acknowledged: 1 });
  return String(details["checkpointId"]);
}

async function idsIn(workrail: Workrail, sessionId = "session"): Promise<readonly string[]> {
  return (await workrail.listCheckpoints({ sessionId, limit: 100 })).map(({ id }) => id).toReversed();
}

describe("a save that the disk rejects", () => {
  it("fails, reports that memory keeps the checkpoint with advice, and is complete", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      const first = await workrail.saveCheckpoint({ ...SESSION, context: { step: 1 } });
      expect(first).toMatchObject({ status: "SAVED", durability: "disk" });
      expect(first).not.toHaveProperty("degraded");
      disk.writing = "ENOSPC";
      const refusal = await refusalOf(workrail.saveCheckpoint({ ...SESSION, context: { step: 2 }, metadata: { name: "two" } }));
      const { checkpointId } = refusal.details;
      expect(refusal).toMatchObject({
        code: "STORAGE_UNAVAILABLE",
        details: { retained: "memory", sessionId: "session", durability: "memory", reason: "disk-full", code: "ENOSPC" },
        hint: expect.stringMatching(/written once the disk is writable again.*Free space/u),
      });
      expect(refusal.details["path"]).toContain(disk.place.dataDir);

      const degraded = { degraded: true, degradedReason: "disk-full" };
      const latest = { checkpointId, context: { step: 2 }, durability: "memory", ...degraded };
      expect(await workrail.loadCheckpoint(SESSION)).toMatchObject(latest);
      expect(await workrail.viewCheckpoint(SESSION)).toMatchObject(latest);
      expect(await workrail.loadCheckpoint({ checkpointId: String(checkpointId) })).toMatchObject({
        metadata: { name: "two", parentId: first.checkpointId, sequence: 2 },
      });
      // Data on disk is read from disk and reported as durable.
      const older = { checkpointId: first.checkpointId };
      expect(await workrail.loadCheckpoint(older)).toMatchObject({ context: { step: 1 }, durability: "disk", ...degraded });
      const listing = await workrail.findCheckpoints(SESSION);
      expect(listing).toMatchObject({ total: 2, durability: "memory", ...degraded, session: { checkpointCount: 2 } });
      expect(await idsIn(workrail)).toEqual([first.checkpointId, checkpointId]);
      expect(workrail.durability).toBe("memory");
    }));

  it("is recognised as a repetition, with and without the disk", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      disk.writing = "ENOSPC";
      const id = await kept(workrail, 1);
      expect(await kept(workrail, 1)).toBe(id);
      disk.writing = undefined;
      const again = await workrail.saveCheckpoint({ ...SESSION, context: { step: 1 } });
      expect(again).toMatchObject({ status: "SKIPPED_UNCHANGED", checkpointId: id, durability: "disk" });
    }));

  it("keeps its parent and its id, as far as they are known", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      const first = await step(workrail, 1);
      disk.writing = "ENOSPC";
      const second = await kept(workrail, 2, { expectedParentId: first, checkpointId: "second" });
      expect(second).toBe("second");
      const refused = async (more: object): Promise<string> =>
        (await refusalOf(workrail.saveCheckpoint({ ...SESSION, context: { step: 3 }, ...more }))).code;
      expect(await refused({ expectedParentId: first })).toBe("CONFLICT");
      expect(await refused({ checkpointId: "second" })).toBe("CONFLICT");
      expect(await refused({ checkpointId: first })).toBe("CONFLICT");
      expect(await refused({ parentId: "unknown" })).toBe("CHECKPOINT_NOT_FOUND");
      expect(await refused({ context: { n: Number.NaN } })).toBe("INVALID_INPUT");
      expect(await idsIn(workrail)).toEqual([first, second]);
    }));

  it.each([
    ["ENOSPC", "disk-full"],
    ["EDQUOT", "quota"],
    ["EFBIG", "file-too-large"],
    ["EMFILE", "too-many-files"],
    ["ENFILE", "too-many-files"],
    ["EROFS", "read-only"],
    ["EACCES", "not-permitted"],
    ["EIO", "input-output"],
  ])("because of %s reports the reason %s", (code, reason) =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      disk.writing = code;
      const { details } = await refusalOf(workrail.saveCheckpoint({ ...SESSION, context: {} }));
      expect(details).toMatchObject({ retained: "memory", reason, code });
      disk.writing = undefined;
    }),
  );

  it("is shown in the status, with the reason and advice", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      await step(workrail, 1);
      expect(await workrail.storeStatus()).toMatchObject({ durability: "disk", checkpoints: 1, warnings: [] });
      disk.writing = "ENOSPC";
      await kept(workrail, 2);
      const warnings = [expect.stringMatching(/disk-full.*in memory only.*Free space/u)];
      expect(await workrail.storeStatus()).toMatchObject({ durability: "memory", checkpoints: 1, warnings });
    }));

  it("is not kept once memory is full, and reports that", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.openSmall(5_000);
      disk.writing = "ENOSPC";
      const ids = [await kept(workrail, 1), await kept(workrail, 2)];
      const refusal = await refusalOf(step(workrail, 3, { context: { noise: noise(5_000) } }));
      expect(refusal).toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { retained: "none", reason: "disk-full" } });
      expect(refusal.details).not.toHaveProperty("checkpointId");
      expect(refusal.hint).toMatch(/Save again later.*Free space/u);
      disk.writing = undefined;
      await disk.retry();
      expect(await idsIn(workrail)).toEqual(ids);
    }));

  it("without the fallback fails, and is kept nowhere", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.place.open({ adapters: disk.adapters() });
      disk.writing = "ENOSPC";
      const { code, details } = await refusalOf(step(workrail, 1));
      expect([code, details["reason"], details["retained"]]).toEqual(["STORAGE_UNAVAILABLE", "disk-full", undefined]);
      disk.writing = undefined;
      expect(await idsIn(workrail)).toEqual([]);
    }));

  it("may have reached the disk: then it is found there, and not kept twice", () =>
    withFailingDisk(async (disk) => {
      let isUnsure = true;
      await using workrail = await disk.open(
        {},
        {
          storage: async ({ dataDir }) => {
            const storage = await openSqliteFs({ dataDir });
            const catalog = afterAppend(storage.catalog, (checkpointId) => {
              if (!isUnsure) return;
              isUnsure = false;
              const details = { reason: "input-output", outcome: "unknown", checkpointId };
              throw new WorkrailError("STORAGE_UNAVAILABLE", "Nobody knows.", { details });
            });
            return { ...storage, catalog };
          },
        },
      );
      const answer = await workrail.saveCheckpoint({ ...SESSION, context: { step: 1 } });
      expect(answer).toMatchObject({ status: "SKIPPED_UNCHANGED", durability: "disk" });
      expect(await idsIn(workrail)).toEqual([answer.checkpointId]);
    }));
});

describe("while the disk cannot be written to", () => {
  it("allows compression: the original is in memory, and later on the disk", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      await step(workrail, 1);
      disk.writing = "ENOSPC";
      const context = { goal: "g", debugLog: "tick ".repeat(500) };
      const shaped = await workrail.compressContext({ context, ...SESSION, budgetTokens: 200 });
      expect(shaped).toMatchObject({ context: { goal: "g" }, durability: "memory", degraded: true, degradedReason: "disk-full" });
      const original = async () => workrail.loadCheckpoint({ checkpointId: String(shaped.checkpointId) });
      expect(await original()).toMatchObject({ context, durability: "memory" });
      disk.writing = undefined;
      await step(workrail, 2);
      expect(await original()).toMatchObject({ context, durability: "disk", metadata: { kind: "aside" } });
    }));

  it("pins are kept in memory, for sessions there and on the disk", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      await step(workrail, 1);
      await workrail.markCritical({ ...SESSION, contextKey: "step" });
      await step(workrail, 2, { context: { step: 2, goal: "g" } });
      disk.writing = "ENOSPC";
      const pinned = await workrail.markCritical({ ...SESSION, contextKey: "goal" });
      const degraded = { durability: "memory", degraded: true, degradedReason: "disk-full" };
      expect(pinned).toMatchObject({ status: "SUCCESS", criticalKeys: ["step", "goal"], ...degraded });
      expect(await workrail.markCritical({ ...SESSION, contextKey: "step", critical: false })).toMatchObject({ criticalKeys: ["goal"] });
      await kept(workrail, 1, { sessionId: "new" });
      expect(await workrail.markCritical({ sessionId: "new", contextKey: "step" })).toMatchObject({ criticalKeys: ["step"] });
      expect(await workrail.loadCheckpoint(SESSION)).toMatchObject({ metadata: { criticalKeys: ["goal"] } });

      disk.writing = undefined;
      await disk.retry();
      await using other = await disk.place.open();
      expect((await other.findCheckpoints(SESSION)).session?.criticalKeys).toEqual(["goal"]);
      expect((await other.findCheckpoints({ sessionId: "new" })).session?.criticalKeys).toEqual(["step"]);
    }));

  it("listings continue from memory to the disk, page by page, with every filter", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      const ids: string[] = [];
      for (let number = 1; number <= 5; number++) ids.push(await step(workrail, number, { metadata: { tags: [`odd-${number % 2}`] } }));
      disk.writing = "ENOSPC";
      for (let number = 6; number <= 9; number++) ids.push(await kept(workrail, number, { metadata: { tags: [`odd-${number % 2}`] } }));
      const newestFirst = ids.toReversed();
      for (let offset = 0; offset <= 10; offset++) {
        for (const limit of [1, 3, 4, 20]) {
          const { checkpoints, total } = await workrail.findCheckpoints({ ...SESSION, offset, limit });
          expect(checkpoints.map(({ id }) => id)).toEqual(newestFirst.slice(offset, offset + limit));
          expect(total).toBe(9);
        }
      }
      const odd = await workrail.findCheckpoints({ ...SESSION, tags: ["odd-1"] });
      expect(odd.checkpoints.map(({ sequence }) => sequence)).toEqual([9, 7, 5, 3, 1]);
    }));

  it("sessions are listed with those in memory, each once, the last used first", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      for (const sessionId of ["both", "disk", "marked"]) await step(workrail, 1, { sessionId });
      disk.writing = "ENOSPC";
      await kept(workrail, 1, { sessionId: "memory" });
      const latest = await kept(workrail, 2, { sessionId: "both" });
      await workrail.markCritical({ sessionId: "marked", contextKey: "step" });
      const { sessions, total } = await workrail.listSessions({ project: null });
      expect(total).toBe(4);
      expect(sessions).toMatchObject([
        { id: "both", checkpointCount: 2, latest: { id: latest } },
        { id: "memory", checkpointCount: 1 },
        { id: "marked", checkpointCount: 1, criticalKeys: ["step"] },
        { id: "disk", checkpointCount: 1 },
      ]);
      expect(await workrail.listSessions({ project: null, limit: 1, offset: 1 })).toMatchObject({ sessions: [{ id: "memory" }], total: 4 });
      disk.writing = undefined;
    }));

  it("a session that is partly in memory is not exported without that part", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      await step(workrail, 1);
      await step(workrail, 1, { sessionId: "other" });
      disk.writing = "ENOSPC";
      await kept(workrail, 2);
      await kept(workrail, 1, { sessionId: "memory" });
      const texts = async (sessionId: string): Promise<string> => {
        let text = "";
        for await (const piece of workrail.exportText(sessionId)) text += piece;
        return text;
      };
      const file = (sessionId: string): { file: string } => ({ file: path.join(path.dirname(disk.place.dataDir), `${sessionId}.json`) });
      for (const sessionId of ["session", "memory"]) {
        for (const refused of [texts(sessionId), workrail.exportSession(sessionId, file(sessionId))]) {
          expect(await refusalOf(refused)).toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { reason: "disk-full" } });
        }
      }
      expect(await texts("other")).toContain('"step"');
      disk.writing = undefined;
      expect(JSON.parse(await texts("session"))).toMatchObject({ checkpoints: [{}, {}] });
    }));

  it.each([
    [true, 2],
    [false, 0],
  ])("unfinished work is done by whoever opens the store, once the disk is back, if upkeep is on: %s", (upkeep, times) =>
    withFailingDisk(async (disk) => {
      const seenTo = vi.spyOn(Store.prototype, "finishEarlierWork");
      try {
        await using workrail = await disk.place.open({ fallback: "memory", adapters: disk.adapters(), upkeep });
        disk.writing = "ENOSPC";
        await kept(workrail, 1);
        disk.writing = undefined;
        await step(workrail, 2);
        expect(await idsIn(workrail)).toHaveLength(2);
        expect(seenTo).toHaveBeenCalledTimes(times);
      } finally {
        seenTo.mockRestore();
      }
    }),
  );

  it("operations on the whole store report how many checkpoints they left out", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      await step(workrail, 1);
      disk.writing = (file) => (file.startsWith(disk.place.dataDir) ? "ENOSPC" : undefined);
      await kept(workrail, 2);
      await kept(workrail, 1, { sessionId: "memory" });
      const beside = path.dirname(disk.place.dataDir);
      const all = { project: null };
      const without = { inMemoryOnly: 2 };
      expect(await workrail.storeStats(all)).toMatchObject({ ...without, total: { sessions: 1, checkpoints: 1 } });
      expect(await workrail.backup(path.join(beside, "backup"))).toMatchObject({ ...without, checkpoints: 1 });
      expect(await workrail.exportAll(path.join(beside, "exports"))).toMatchObject({ ...without, exports: [{ sessionId: "session" }] });
      disk.writing = undefined;
      for (const whole of [await workrail.backup(path.join(beside, "whole")), (await workrail.storeStats(all)).total]) {
        expect(whole).toMatchObject({ checkpoints: 3 });
        expect(whole).not.toHaveProperty("inMemoryOnly");
      }
    }));

  it("damaged checkpoints on the disk are skipped for the newest readable one", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      const ids = [await step(workrail, 1), await step(workrail, 2)];
      disk.writing = "ENOSPC";
      await kept(workrail, 3, { sessionId: "other" });
      fs.writeFileSync(path.join(disk.place.dataDir, "contexts", "session", `${ids[1]}.json.gz`), "not gzip");
      const loaded = await workrail.loadCheckpoint(SESSION);
      expect(loaded).toMatchObject({
        checkpointId: ids[0],
        context: { step: 1 },
        fellBackFrom: [{ checkpointId: ids[1] }],
        degraded: true,
      });
    }));

  it("nor read from, saves are kept in memory, and loads report why they fail", () =>
    withFailingDisk(async (disk) => {
      const clear = obstruct(disk.place.dataDir);
      await using workrail = await disk.open();
      const ids = [await kept(workrail, 1, { expectedParentId: "elsewhere" }), await kept(workrail, 2, { parentId: "somewhere" })];
      ids.push(await kept(workrail, 3));
      expect(await idsIn(workrail)).toEqual(ids);
      expect(await workrail.findCheckpoints({ project: null })).toMatchObject({ total: 3, degraded: true });
      expect((await workrail.loadCheckpoint({ checkpointId: ids[0] ?? "" })).metadata.parentId).toBe("elsewhere");
      for (const work of [
        workrail.loadCheckpoint({ checkpointId: "unknown" }),
        workrail.loadCheckpoint({ sessionId: "unknown" }),
        workrail.markCritical({ sessionId: "unknown", contextKey: "a" }),
        workrail.verifyStore(),
        workrail.exportSession("session"),
      ]) {
        expect(await refusalOf(work)).toMatchObject({ code: "STORAGE_UNAVAILABLE", details: { reason: "wrong-kind-of-file" } });
      }
      clear();
      expect(await step(workrail, 4)).toBeTruthy();
      const { checkpoints } = await workrail.findCheckpoints(SESSION);
      expect(checkpoints.map(({ parentId }) => parentId)).toEqual([ids[2], ids[1], "somewhere", "elsewhere"]);
    }));

  it("is logged once when it begins, and once when it ends", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      disk.writing = "EROFS";
      for (const number of [1, 2, 3]) await kept(workrail, number);
      await workrail.loadCheckpoint(SESSION);
      await disk.retry();
      expect(disk.log).toMatchObject([{ level: "error", fields: { reason: "read-only", dataDir: disk.place.dataDir } }]);
      disk.writing = undefined;
      await disk.retry();
      await step(workrail, 4);
      expect(disk.log).toMatchObject([{ level: "error" }, { level: "warn", fields: { checkpoints: 3, forks: 0, pins: 0 } }]);
    }));
});

describe("a recovered disk", () => {
  it("is polled by each process at different times, so that two processes do not stay in step", async () => {
    const periods = new Set<number | undefined>();
    for (let count = 0; count < 3; count++) {
      await withFailingDisk(async (disk) => {
        await using workrail = await disk.open();
        disk.writing = "ENOSPC";
        await kept(workrail, 1);
        periods.add(disk.repeated?.everyMs);
        disk.writing = undefined;
      });
    }
    expect(periods.size).toBe(3);
  });

  it("is detected automatically, about every 30 seconds, and receives all kept saves in their order and with their ids", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      const ids = [await step(workrail, 1)];
      expect(disk.repeated).toBeUndefined();
      disk.writing = "ENOSPC";
      for (const number of [2, 3, 4])
        ids.push(await kept(workrail, number, { metadata: { tags: ["t"], attributes: { note: number } }, agentId: "me" }));
      const other = await kept(workrail, 1, { sessionId: "other", workflowId: "w" });
      const before = await workrail.findCheckpoints({ project: null });
      expect(Math.abs((disk.repeated?.everyMs ?? 0) - 30_000)).toBeLessThanOrEqual(5_000);
      disk.writing = undefined;
      await disk.retry();
      expect(disk.repeated).toBeUndefined();
      expect(workrail.durability).toBe("disk");

      await using another = await disk.place.open();
      const after = await another.findCheckpoints({ project: null });
      const whatStays = ({
        id,
        createdAt,
        parentId,
        tags,
        attributes,
        agentId,
        workflowId,
        contextHash,
      }: (typeof after.checkpoints)[number]) => {
        return { id, createdAt, parentId, tags, attributes, agentId, workflowId, contextHash };
      };
      expect(after.checkpoints.map(whatStays)).toEqual(before.checkpoints.map(whatStays));
      expect(await idsIn(another)).toEqual(ids);
      expect(await another.loadCheckpoint({ checkpointId: other })).toMatchObject({ context: { step: 1 }, durability: "disk" });
      expect(after).not.toHaveProperty("degraded");
    }));

  it("is detected by the next save, which is stored there and continues the kept ones", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      disk.writing = "ENOSPC";
      const first = await kept(workrail, 1);
      disk.writing = undefined;
      const answer = await workrail.saveCheckpoint({ ...SESSION, context: { step: 2 } });
      expect(answer).toMatchObject({ status: "SAVED", durability: "disk", parentId: first });
      expect(answer).not.toHaveProperty("degraded");
    }));

  it.skipIf(process.platform === "win32")(
    "(not on Windows, where nobody removes a database that is open) receives the kept saves although its catalog was lost meanwhile",
    () =>
      withFailingDisk(async (disk) => {
        const workrail = await disk.open();
        const ids = [await step(workrail, 1)];
        disk.writing = "ENOSPC";
        for (const name of ["workrail.db", "workrail.db-wal", "workrail.db-shm"]) fs.rmSync(path.join(disk.place.dataDir, name));
        ids.push(await kept(workrail, 2));
        const other = await kept(workrail, 1, { sessionId: "other" });
        disk.writing = undefined;
        expect(await workrail.saveCheckpoint({ ...SESSION, context: { step: 3 } })).toMatchObject({ durability: "disk", parentId: ids[1] });
        await workrail.close();
        await using another = await disk.place.open();
        expect((await idsIn(another)).slice(0, 2)).toEqual(ids);
        expect(await another.loadCheckpoint({ checkpointId: other })).toMatchObject({ context: { step: 1 }, durability: "disk" });
      }),
  );

  it.each([
    ["retention", { retention: "all" }],
    ["metadata", { metadata: { attributes: { retention: "all" } } }],
  ] as const)("keeps all checkpoints of a session whose save in memory demanded that by its %s", (_how, more) =>
    withFailingDisk(async (disk) => {
      const workrail = await disk.open({ WORKRAIL_MAX_CHECKPOINTS: "2" });
      const ids = [await step(workrail, 1), await step(workrail, 2)];
      disk.writing = "ENOSPC";
      ids.push(await kept(workrail, 3, more));
      disk.writing = undefined;
      ids.push(await step(workrail, 4));
      expect(await idsIn(workrail)).toEqual(ids);
      expect((await workrail.findCheckpoints(SESSION)).session).toMatchObject({ retention: "all" });
      await workrail.close();
    }),
  );

  it("receives a fork when another process saved meanwhile: nothing is lost or overwritten", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      const first = await step(workrail, 1);
      disk.writing = "ENOSPC";
      const ours = [await kept(workrail, 2), await kept(workrail, 3)];
      await using other = await disk.place.open();
      const theirs = await step(other, 20);
      disk.writing = undefined;
      await disk.retry();
      expect(await idsIn(other)).toEqual([first, theirs, ...ours]);
      const { checkpoints } = await other.findCheckpoints(SESSION);
      expect(checkpoints.map(({ parentId }) => parentId)).toEqual([ours[0], first, first, null]);
      expect((await other.loadCheckpoint({ checkpointId: theirs })).context).toEqual({ step: 20 });
      expect(disk.log.at(-1)).toMatchObject({ fields: { checkpoints: 2, forks: 1 } });
    }));

  it("receives a checkpoint under a new id when its id was taken meanwhile", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      disk.writing = "ENOSPC";
      await kept(workrail, 1, { checkpointId: "mine" });
      await using other = await disk.place.open();
      await step(other, 20, { sessionId: "other", checkpointId: "mine" });
      disk.writing = undefined;
      await disk.retry();
      expect(await other.loadCheckpoint({ checkpointId: "mine" })).toMatchObject({ sessionId: "other", context: { step: 20 } });
      expect((await other.loadCheckpoint(SESSION)).context).toEqual({ step: 1 });
      expect(disk.log.map(({ message }) => message)).toContainEqual(expect.stringContaining("a new id"));
    }));

  it("receives a save once, even when its write under the other id is in doubt", () =>
    withFailingDisk(async (disk) => {
      let isUnsure = false;
      const storage: Adapters["storage"] = async (...given) => {
        const opened = await (disk.adapters().storage ?? fail)(...given);
        const catalog = afterAppend(opened.catalog, () => {
          if (!isUnsure) return;
          isUnsure = false;
          throw new WorkrailError("STORAGE_UNAVAILABLE", "Nobody knows.", { details: { reason: "input-output", outcome: "unknown" } });
        });
        return { ...opened, catalog };
      };
      await using workrail = await disk.open({}, { storage });
      disk.writing = "ENOSPC";
      await kept(workrail, 1, { checkpointId: "mine" });
      await using other = await disk.place.open();
      await step(other, 20, { sessionId: "other", checkpointId: "mine" });
      disk.writing = undefined;
      isUnsure = true;
      await disk.retry();
      expect([isUnsure, workrail.durability]).toEqual([false, "memory"]);
      await disk.retry();
      expect([workrail.durability, (await idsIn(workrail)).length]).toEqual(["disk", 1]);
    }));

  it("receives the kept saves even beyond a quota, which applies again afterwards", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open({ WORKRAIL_MAX_SESSION_BYTES: "4000" });
      disk.writing = "ENOSPC";
      const ids = [];
      for (const number of [1, 2, 3]) ids.push(await kept(workrail, number, { context: { number, noise: noise(2_500) } }));
      disk.writing = undefined;
      await disk.retry();
      expect([workrail.durability, await idsIn(workrail)]).toEqual(["disk", ids]);
      expect((await refusalOf(step(workrail, 4))).code).toBe("STORAGE_QUOTA_EXCEEDED");
    }));

  it("that fails again midway, at any file, finally has every save once", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      const ids = [await step(workrail, 1)];
      disk.writing = "ENOSPC";
      for (const number of [2, 3, 4]) ids.push(await kept(workrail, number));
      await workrail.markCritical({ ...SESSION, contextKey: "step" });
      disk.writing = undefined;
      for (let files = 0; workrail.durability === "memory"; files++) {
        disk.filesLeft = files % 4;
        await disk.retry();
        // Every checkpoint is listed exactly once, wherever it is now.
        const { checkpoints, total } = await workrail.findCheckpoints(SESSION);
        expect([checkpoints.map(({ id }) => id).toReversed(), total]).toEqual([ids, 4]);
      }
      disk.filesLeft = Number.POSITIVE_INFINITY;
      await using other = await disk.place.open();
      expect(await idsIn(other)).toEqual(ids);
      expect((await other.findCheckpoints(SESSION)).session?.criticalKeys).toEqual(["step"]);
      expect((await other.verifyStore()).findings).toEqual([]);
    }));

  it("serves other sessions while one cannot be written, and keeps the saves of that one in order", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      const good = [await step(workrail, 1, { sessionId: "good" })];
      disk.writing = onlyOf("session");
      const ours = [await kept(workrail, 1)];
      const saved = await workrail.saveCheckpoint({ sessionId: "good", context: { step: 2 } });
      expect(saved).toMatchObject({ status: "SAVED", durability: "disk", parentId: good[0] });
      expect(saved).not.toHaveProperty("degraded");
      const own = await workrail.saveCheckpoint({ workflowId: "w", context: { step: 1 } });
      expect(own).toMatchObject({ durability: "disk", sessionReason: "derived" });
      expect(await workrail.markCritical({ sessionId: "good", contextKey: "step" })).toMatchObject({ durability: "disk" });
      expect(await workrail.markCritical({ ...SESSION, contextKey: "step" })).toMatchObject({ durability: "memory" });
      ours.push(await kept(workrail, 2));
      expect(await workrail.loadCheckpoint(SESSION)).toMatchObject({ checkpointId: ours[1], durability: "memory", degraded: true });
      expect(await workrail.loadCheckpoint({ sessionId: "good" })).toMatchObject({
        context: { step: 2 },
        durability: "disk",
        degraded: true,
      });
      expect((await workrail.storeStatus()).warnings).toEqual([expect.stringMatching(/some saves are in memory only/u)]);
      disk.writing = undefined;
      await disk.retry();
      expect(workrail.durability).toBe("disk");
      expect(await idsIn(workrail)).toEqual(ours);
      expect((await workrail.findCheckpoints(SESSION)).session?.criticalKeys).toEqual(["step"]);
      expect((await workrail.verifyStore()).findings).toEqual([]);
    }));

  it.skipIf(process.platform === "win32")("is used at once when only the data directory was removed, and creates it again", () =>
    withFailingDisk(async (disk) => {
      const workrail = await disk.open();
      await step(workrail, 1);
      fs.rmSync(disk.place.dataDir, { recursive: true });
      const id = await step(workrail, 2);
      await workrail.close();
      await using again = await disk.open();
      expect(await again.loadCheckpoint(SESSION)).toMatchObject({ checkpointId: id, context: { step: 2 } });
    }),
  );

  it.skipIf(process.platform === "win32")(
    "is used again when the data directory of a store without SQLite was removed, and its parent exists",
    () =>
      onDisk(
        async (place) => {
          let retry = async (): Promise<unknown> => {
            throw new Error("Nobody waits for the disk.");
          };
          const repeat: Adapters["repeat"] = (work) => {
            retry = work;
            return () => {};
          };
          const parent = path.dirname(place.dataDir);
          const workrail = await place.open({ fallback: "memory", adapters: { repeat } });
          await step(workrail, 1);
          fs.renameSync(parent, `${parent}-away`);
          try {
            const ids = [await kept(workrail, 2)];
            await retry();
            expect([fs.existsSync(parent), workrail.durability]).toEqual([false, "memory"]);
            fs.mkdirSync(parent);
            ids.push(await step(workrail, 3));
            expect(await idsIn(workrail)).toEqual(ids);
            await workrail.close();
            await using again = await place.open();
            expect(await idsIn(again)).toEqual(ids);
          } finally {
            fs.rmSync(`${parent}-away`, { recursive: true });
          }
        },
        { WORKRAIL_SQLITE_DRIVER: "none" },
      ),
  );

  it("receives the kept saves when the store is closed, even when another part fails then", () =>
    withFailingDisk(async (disk) => {
      const workrail = await disk.open();
      disk.writing = "ENOSPC";
      const id = await kept(workrail, 1);
      disk.writing = undefined;
      vi.spyOn(Compactor.prototype, "stop").mockImplementationOnce(() => {
        throw new Error("no more");
      });
      await expect(workrail.close()).rejects.toThrow("no more");
      await using again = await disk.open();
      expect(await idsIn(again)).toEqual([id]);
    }));

  it("receives, at closing, all sessions that can be written, in any order", () =>
    withFailingDisk(async (disk) => {
      const workrail = await disk.open();
      disk.writing = "ENOSPC";
      const [, ...others] = [
        await kept(workrail, 1),
        await kept(workrail, 1, { sessionId: "one" }),
        await kept(workrail, 1, { sessionId: "two" }),
      ];
      await workrail.markCritical({ sessionId: "two", contextKey: "step" });
      disk.writing = onlyOf("session");
      await workrail.close();
      expect(disk.log.at(-1)).toMatchObject({ message: expect.stringContaining("are lost"), fields: { checkpoints: 1, pins: 0 } });
      disk.writing = undefined;
      await using again = await disk.open();
      expect([...(await idsIn(again, "one")), ...(await idsIn(again, "two"))]).toEqual(others);
      expect((await again.findCheckpoints({ sessionId: "two" })).session?.criticalKeys).toEqual(["step"]);
      expect(await idsIn(again)).toEqual([]);
    }));

  it("receives, at closing, all writable saves; the others are reported as lost", () =>
    withFailingDisk(async (disk) => {
      const workrail = await disk.open();
      disk.writing = "ENOSPC";
      const first = await kept(workrail, 1);
      disk.writing = undefined;
      await workrail.close();
      const again = await disk.open();
      expect(await idsIn(again)).toEqual([first]);
      disk.writing = "ENOSPC";
      await kept(again, 2);
      disk.log.length = 0;
      await again.close();
      expect(disk.log).toMatchObject([
        { level: "warn", message: expect.stringContaining("in memory only"), fields: { checkpoints: 1 } },
        { level: "error", message: expect.stringContaining("are lost"), fields: { checkpoints: 1 } },
      ]);
      expect((await refusalOf(step(again, 3))).details).toMatchObject({ reason: "closed" });
    }));
});

describe("simultaneous saves to one session", () => {
  it("keep the order of their calls when the disk fails one of them and accepts the next", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      for (const session of [{ sessionId: "session" }, { workflowId: "flow" }]) {
        const { sessionId } = await workrail.saveCheckpoint({ ...session, context: { step: 0 } });
        let failures = 1;
        disk.writing = (file) => (file.includes(`${path.sep}contexts${path.sep}`) && failures-- > 0 ? "EFBIG" : undefined);
        const saves = [1, 2, 3].map((number) => workrail.saveCheckpoint({ ...session, context: { step: number } }));
        const pinning = workrail.markCritical({ sessionId, contextKey: "step" });
        await Promise.allSettled(saves);
        expect((await pinning).status).toBe("SUCCESS");
        expect(await workrail.loadCheckpoint({ sessionId })).toMatchObject({ context: { step: 3 } });
        disk.writing = undefined;
        if (disk.repeated !== undefined) await disk.retry();
        expect(await workrail.loadCheckpoint({ sessionId })).toMatchObject({ context: { step: 3 }, durability: "disk" });
        const ids = await idsIn(workrail, sessionId);
        const { checkpoints } = await workrail.findCheckpoints({ sessionId });
        // Each continues the one before: there is no fork.
        expect(checkpoints.map(({ parentId }) => parentId).toReversed()).toEqual([null, ...ids.slice(0, -1)]);
      }
    }));
});

describe("erasing while the disk cannot be written to", () => {
  it("erases a session that is only in memory, with its pins and tags", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      await step(workrail, 1, { sessionId: "other" });
      disk.writing = onlyOf("session");
      const checkpointId = await kept(workrail, 1, { context: { step: 1, secret: "s" } });
      await workrail.markCritical({ ...SESSION, contextKey: "secret" });
      expect(await workrail.erase(SESSION)).toMatchObject({ erased: [{ checkpointId, sessionId: "session" }], left: [] });
      expect((await refusalOf(workrail.erase(SESSION))).code).toBe("SESSION_NOT_FOUND");
      disk.writing = undefined;
      await step(workrail, 2);
      expect((await workrail.findCheckpoints(SESSION)).session).not.toHaveProperty("criticalKeys");
    }));

  it("erases nothing when one of the named checkpoints does not exist", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      disk.writing = onlyOf("session");
      const checkpointId = await kept(workrail, 1);
      expect((await refusalOf(workrail.erase({ checkpointIds: [checkpointId, "unknown"] }))).code).toBe("CHECKPOINT_NOT_FOUND");
      disk.writing = undefined;
      await disk.retry();
      expect(await idsIn(workrail)).toEqual([checkpointId]);
    }));

  it("spares checkpoints tagged keep on request", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      await step(workrail, 1, { sessionId: "tagged" });
      await workrail.keepSession("tagged");
      disk.writing = "EIO";
      const tagged = await kept(workrail, 2, { metadata: { tags: ["keep"] } });
      const ofTagged = await kept(workrail, 2, { sessionId: "tagged" });
      const other = await kept(workrail, 3, { sessionId: "other" });
      const { erased, spared } = await workrail.erase({ checkpointIds: [tagged, ofTagged, other], sparesKept: true });
      expect(erased.map(({ checkpointId }) => checkpointId)).toEqual([other]);
      expect(spared.map(({ checkpointId }) => checkpointId)).toEqual([tagged, ofTagged]);
      disk.writing = undefined;
    }));

  it("leaves no file of a save that reached the disk only as a file, so that no rebuild restores it", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open({ WORKRAIL_LOCK_TIMEOUT_MS: "50" });
      await step(workrail, 1, { sessionId: "other" });
      const release = await holdLock(path.join(disk.place.dataDir, "workrail.db"), "BEGIN IMMEDIATE");
      const checkpointId = await kept(workrail, 1);
      await release();
      disk.writing = onlyOf("session");
      expect(await workrail.erase({ checkpointIds: [checkpointId] })).toMatchObject({ erased: [{ checkpointId }], left: [] });
      disk.writing = undefined;
      await disk.retry();
      await workrail.rebuildCatalog();
      expect((await refusalOf(workrail.loadCheckpoint({ checkpointId }))).code).toBe("CHECKPOINT_NOT_FOUND");
    }));

  it("stays in effect when the disk recovers meanwhile", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      const onDisk = await step(workrail, 1, { sessionId: "good" });
      disk.writing = onlyOf("session");
      const inMemory = await kept(workrail, 1);
      let back: Promise<void> | undefined;
      disk.onRemoving = () => {
        disk.writing = undefined;
        back ??= disk.retry();
      };
      expect((await workrail.erase({ checkpointIds: [inMemory, onDisk] })).erased).toHaveLength(2);
      expect(back).toBeDefined();
      await back;
      disk.onRemoving = undefined;
      if (workrail.durability === "memory") await disk.retry();
      expect((await refusalOf(workrail.loadCheckpoint({ checkpointId: inMemory }))).code).toBe("CHECKPOINT_NOT_FOUND");
    }));
});

describe("closing", () => {
  it("waits for a disk that is being opened, and leaves nothing open", () =>
    withFailingDisk(async (disk) => {
      const clear = obstruct(disk.place.dataDir);
      const { storage = fail } = disk.adapters();
      const [isOpening, mayOpen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let isFirst = true;
      let closed = 0;
      const workrail = await disk.open(
        {},
        {
          storage: async (...given) => {
            if (!isFirst) {
              isOpening.resolve();
              await mayOpen.promise;
            }
            isFirst = false;
            const opened = await storage(...given);
            return { ...opened, close: () => opened.close().finally(() => void (closed += 1)) };
          },
        },
      );
      clear();
      const back = disk.retry();
      await isOpening.promise;
      const closing = workrail.close();
      mayOpen.resolve();
      await closing;
      expect(closed).toBe(1);
      await back;
      // The store is free for others.
      await using again = await disk.place.open();
      await again.rebuildCatalog();
    }));

  it("finishes earlier calls, then stops polling the disk, and accepts no further calls", () =>
    withFailingDisk(async (disk) => {
      const workrail = await disk.open();
      disk.writing = "ENOSPC";
      const saving = [kept(workrail, 1), kept(workrail, 2), kept(workrail, 3)];
      const closing = workrail.close();
      const late = refusalOf(step(workrail, 4));
      const ids = await Promise.all(saving);
      disk.writing = undefined;
      await closing;
      expect((await late).details).toMatchObject({ reason: "closed" });
      expect(disk.repeated).toBeUndefined();
      await using again = await disk.open();
      expect(await idsIn(again)).toEqual(ids);
    }));
});

describe("a process that is killed while it writes kept saves to the disk", () => {
  it("leaves an intact store, with the first of them, each once and in their order", { timeout: 600_000 }, async () => {
    const sizes = new Set<number>();
    for (let fatal = 1; !(await survives(fatal, sizes)); fatal += STRIDE);
    // The process was killed before the first, and after each.
    expect([...sizes].toSorted((left, right) => left - right)).toEqual([0, 1, 2, 3]);
  });
});

describe("a start", () => {
  it("succeeds without a disk, and uses one that appears later", () =>
    withFailingDisk(async (disk) => {
      const clear = obstruct(disk.place.dataDir);
      await using workrail = await disk.open();
      expect(await workrail.findCheckpoints()).toMatchObject({ total: 0, degraded: true, degradedReason: "wrong-kind-of-file" });
      const id = await kept(workrail, 1);
      await disk.retry();
      expect(workrail.durability).toBe("memory");
      clear();
      await disk.retry();
      expect(await workrail.loadCheckpoint(SESSION)).toMatchObject({ checkpointId: id, durability: "disk" });
    }));

  it.for([
    ["workrail.db", "BEGIN IMMEDIATE", "locked", "used"],
    ["workrail.lock", "BEGIN EXCLUSIVE", "in-use", "used"],
    // Its catalog then counts as lost, and is rebuilt with the file that the refused save left.
    ["workrail.db", "BEGIN IMMEDIATE", "locked", "never used"],
    ["workrail.lock", "BEGIN EXCLUSIVE", "in-use", "never used"],
  ] as const)(
    "succeeds, and a save is kept, while another process keeps %s to itself by %s (%s), in a store that was %s",
    ([file, begin, reason, use]) =>
      withFailingDisk(async (disk) => {
        const before = await disk.open();
        if (use === "used") await before.saveCheckpoint({ sessionId: "another", context: { begun: true } });
        await before.close();
        const release = await holdLock(path.join(disk.place.dataDir, file), begin);
        await using workrail = await disk.open({ WORKRAIL_LOCK_TIMEOUT_MS: "50" });
        const { details } = await refusalOf(step(workrail, 1));
        expect(details).toMatchObject({ retained: "memory", reason, path: disk.place.dataDir });
        await release();
        expect(await step(workrail, 2)).toBeTruthy();
        expect((await workrail.findCheckpoints(SESSION)).total).toBe(2);
        // The file on disk and the copy in memory count as one.
        await workrail.rebuildCatalog();
        expect((await workrail.findCheckpoints(SESSION)).total).toBe(2);
      }),
  );

  it("is refused by a store of a newer version, and by invalid settings", () =>
    withFailingDisk(async (disk) => {
      await (await disk.open()).close();
      const database = new DatabaseSync(path.join(disk.place.dataDir, "workrail.db"));
      database.exec("PRAGMA user_version = 99; UPDATE meta SET value = 99");
      database.close();
      expect((await refusalOf(disk.open())).code).toBe("UNSUPPORTED_VERSION");
      expect((await refusalOf(disk.open({ WORKRAIL_MAX_DEPTH: "many" }))).code).toBe("INVALID_INPUT");
      expect((await refusalOf(disk.open({ WORKRAIL_FALLBACK: "maybe" }))).details).toEqual({ field: "WORKRAIL_FALLBACK" });
    }));

  it("follows WORKRAIL_FALLBACK, unless the program sets it", () =>
    withFailingDisk(async (disk) => {
      obstruct(disk.place.dataDir);
      const open = (WORKRAIL_FALLBACK: string, more: object = {}): Promise<Workrail> =>
        disk.place.open({ env: { WORKRAIL_FALLBACK }, ...more });
      await (await open("memory")).close();
      await (await open("fail", { fallback: "memory" })).close();
      for (const opening of [open(""), open("fail"), open("memory", { fallback: "fail" })]) {
        expect((await refusalOf(opening)).code).toBe("STORAGE_UNAVAILABLE");
      }
    }));
});

/**
 * Kills a process after its `fatal`th file operation and checks the store. Resolves to `true` when the process ended before that operation.
 */
function survives(fatal: number, sizes: Set<number>): Promise<boolean> {
  return onDisk(async (place) => {
    const { stdout } = spawnSync(process.execPath, ["--conditions=@workrail/source", CHILD, place.dataDir, String(fatal)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = stdout.trim().split("\n");
    const isDone = lines.at(-1) === "done";
    expect(lines.slice(0, 3)).toEqual(["kept-1", "kept-2", "kept-3"]);
    await using workrail = await place.open();
    const written = (await idsIn(workrail)).slice(1);
    expect(written).toEqual(lines.slice(0, isDone ? 3 : written.length));
    await workrail.collectGarbage();
    // A session's file may be ahead of a commit that failed; repair corrects that.
    await workrail.repairStore();
    expect((await workrail.verifyStore()).findings).toEqual([]);
    // Saving under the same id finds the checkpoint, or saves it.
    for (const number of [1, 2, 3]) await step(workrail, number, { checkpointId: `kept-${number}` });
    expect((await workrail.findCheckpoints(SESSION)).total).toBe(4);
    for (const number of [1, 2, 3]) {
      expect((await workrail.loadCheckpoint({ checkpointId: `kept-${number}` })).context).toEqual({ step: number });
    }
    sizes.add(written.length);
    return isDone;
  });
}

/** Runs in another process: in this one the locks of the two libraries would not see each other. */
async function holdLock(file: string, begin: string): Promise<() => Promise<void>> {
  const script = `new (require("node:sqlite").DatabaseSync)(process.argv[1]).exec(process.argv[2]); console.log("held"); setInterval(() => {}, 1000)`;
  const holder = spawn(process.execPath, ["-e", script, file, begin], { stdio: ["ignore", "pipe", "inherit"] });
  await once(holder.stdout, "data");
  return async () => {
    const gone = once(holder, "exit");
    holder.kill("SIGKILL");
    await gone;
  };
}

/** Returns a failure that affects writes to one session's directory only. */
function onlyOf(session: string): (file: string) => string | undefined {
  return (file) => (file.includes(`${path.sep}${session}${path.sep}`) ? "EACCES" : undefined);
}

function noise(characters: number): string {
  let text = "";
  while (text.length < characters) text += Math.random().toString(36).slice(2);
  return text;
}

function fail(): never {
  throw new Error("There is none.");
}
