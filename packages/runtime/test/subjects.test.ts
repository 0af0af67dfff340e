import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workrail } from "../src/workrail.ts";
import { withFailingDisk } from "./failing-disk.ts";
import { onDisk, refusalOf } from "./stores.ts";

const SESSION = { sessionId: "session" };

/** Returns action and subject of each row of the audit log, oldest first. */
async function rowsOf(workrail: Workrail): Promise<readonly (readonly [string, string | undefined])[]> {
  const { entries } = await workrail.auditLog({ limit: 100 });
  expect((await workrail.verifyAuditLog()).findings).toEqual([]);
  return entries.map(({ action, subject }) => [action, subject] as const).toReversed();
}

describe("a caller with a subject", () => {
  it("is named in the audit rows of its own actions, and in no others", () =>
    onDisk(async (disk) => {
      const project = join(disk.dataDir, "project");
      mkdirSync(project, { recursive: true });
      await using workrail = await disk.open({ project });
      const laptop = workrail.asCaller({ subject: "laptop" });
      const { checkpointId } = await laptop.saveCheckpoint({ ...SESSION, context: { step: 1 } });
      await laptop.loadCheckpoint({ checkpointId });
      await workrail.loadCheckpoint({ checkpointId });
      await laptop.markCritical({ ...SESSION, contextKey: "step" });
      await workrail.saveCheckpoint({ ...SESSION, context: { step: 2 } });
      const both = laptop.asCaller({ projects: [project] });
      const { checkpointId: own } = await both.saveCheckpoint({ context: { step: 3 } });
      await both.deleteCheckpoint({ checkpointId: own });
      const rows = await rowsOf(workrail);
      // Loads are written later.
      expect(rows.filter(([action]) => action !== "load")).toEqual([
        ["save", "laptop"],
        ["pin", "laptop"],
        ["save", undefined],
        ["save", "laptop"],
        ["delete", "laptop"],
        ["delete", "laptop"],
      ]);
      expect(new Set(rows.filter(([action]) => action === "load").map(([, subject]) => subject))).toEqual(new Set(["laptop", undefined]));
    }));

  it("has access to the whole store, unlike one with a list of projects", () =>
    onDisk(async (disk) => {
      await using workrail = await disk.open();
      const laptop = workrail.asCaller({ subject: "laptop" });
      await workrail.saveCheckpoint({ ...SESSION, checkpointId: "chosen", context: { words: "harbour" } });
      expect(await laptop.saveCheckpoint({ ...SESSION, checkpointId: "by-the-caller", context: { step: 2 } })).toMatchObject({
        parentId: "chosen",
      });
      expect((await laptop.searchCheckpoints({ query: "harbour" })).hits).toHaveLength(1);
      expect((await laptop.verifyStore()).findings).toEqual([]);
      await laptop.close();
      expect(await laptop.listCheckpoints(SESSION)).toHaveLength(2);
    }));

  it("must have a name", () =>
    onDisk(async (disk) => {
      await using workrail = await disk.open();
      expect(() => workrail.asCaller({ subject: "" })).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }) as Error);
    }));

  it("is named in the rows of saves that memory kept while the disk was away", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      const laptop = workrail.asCaller({ subject: "laptop" });
      await laptop.saveCheckpoint({ ...SESSION, context: { step: 1 } });
      disk.writing = "ENOSPC";
      expect((await refusalOf(laptop.saveCheckpoint({ ...SESSION, context: { step: 2 } }))).details).toMatchObject({ retained: "memory" });
      expect((await refusalOf(workrail.saveCheckpoint({ ...SESSION, context: { step: 3 } }))).details).toMatchObject({
        retained: "memory",
      });
      await laptop.markCritical({ ...SESSION, contextKey: "step" });
      disk.writing = undefined;
      await workrail.saveCheckpoint({ ...SESSION, context: { step: 4 } });
      expect(await rowsOf(workrail)).toEqual([
        ["save", "laptop"],
        ["save", "laptop"],
        ["save", undefined],
        ["pin", "laptop"],
        ["save", undefined],
      ]);
    }));
});
