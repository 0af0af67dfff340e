import { execFileSync } from "node:child_process";
import path from "node:path";
import type { Storage } from "@workrail/core";
import { openSqliteFs } from "@workrail/sqlite-fs";
import { expect, it } from "vitest";
import { onDisk, type Place, refusalOf } from "./stores.ts";

const ENV = { WORKRAIL_LOCK_TIMEOUT_MS: "50" };

it.each([
  ["one that is open", { damagesFirst: false }],
  ["one that is opened then", { damagesFirst: true }],
])("a row with a flipped bit is repaired while others use the store, by %s, and no row of the log is lost", (_, { damagesFirst }) =>
  onDisk(async (place) => {
    await using other = await place.open();
    await other.saveCheckpoint({ sessionId: "s", checkpointId: "c", context: { note: "a note" }, metadata: { name: "its name" } });
    // The two names differ by one bit.
    if (damagesFirst) damageRow(place, "its ncme");
    await using store = await place.open({ env: ENV, upkeep: false });
    if (!damagesFirst) damageRow(place, "its ncme");
    expect((await store.findCheckpoints({ sessionId: "s" })).checkpoints).toMatchObject([{ id: "c", name: "its name" }]);
    expect(await store.saveCheckpoint({ sessionId: "s", context: { note: "after" } })).toMatchObject({
      status: "SAVED",
      durability: "disk",
    });
    const { entries } = await store.auditLog();
    expect(entries.map(({ action }) => action)).toEqual(["save", "save"]);
    expect(await other.loadCheckpoint({ sessionId: "s" })).toMatchObject({ context: { note: "after" } });
  }),
);

it("waits once for a damaged row that other processes keep from repair, and repairs it when they are gone", () =>
  onDisk(async (place) => {
    const other = await place.open();
    await other.saveCheckpoint({ sessionId: "s", checkpointId: "c", context: { note: "a note" }, metadata: { name: "its name" } });
    await other.saveCheckpoint({ sessionId: "newest", context: { note: "another" } });
    damageRow(place, "its nbme");
    let attempts = 0;
    const storage = async (): Promise<Storage> => {
      const opened = await openSqliteFs({ dataDir: place.dataDir, lockWaitMs: 50 });
      const { locking } = opened;
      const exclusively: typeof locking.exclusively = (work, isNeeded) => {
        attempts += 1;
        return locking.exclusively(work, isNeeded);
      };
      return {
        ...opened,
        locking: { inOrder: (session, work) => locking.inOrder(session, work), shared: (work) => locking.shared(work), exclusively },
      };
    };
    {
      await using store = await place.open({ env: ENV, upkeep: false, adapters: { storage } });
      expect(await refusalOf(store.findCheckpoints({ sessionId: "s" }))).toMatchObject({ code: "STORE_IN_USE" });
      const before = attempts;
      expect(before).toBeGreaterThan(0);
      expect(await refusalOf(store.findCheckpoints({ sessionId: "s" }))).toMatchObject({ code: "STORE_IN_USE" });
      expect(attempts).toBe(before);
    }
    await other.close();
    await using store = await place.open();
    expect((await store.findCheckpoints({ sessionId: "s" })).checkpoints).toMatchObject([{ id: "c", name: "its name" }]);
  }));

it("no call of two processes fails while rows are damaged again and again, whichever process meets the damage first", () =>
  onDisk(async (place) => {
    await using one = await place.open({ upkeep: false });
    await using two = await place.open({ upkeep: false });
    await one.saveCheckpoint({ sessionId: "s", checkpointId: "c", context: { note: "a note" }, metadata: { name: "its name" } });
    const damages = [
      "UPDATE checkpoint SET name = 'its ncme' WHERE id = 'c'",
      "UPDATE session SET last_accessed_at = last_accessed_at + 4096",
      "UPDATE checkpoint SET sequence = sequence + 1048576 WHERE id = 'c'",
      "UPDATE session SET checkpoint_count = checkpoint_count + 64",
      "UPDATE checkpoint SET damaged = 1 WHERE id = 'c'",
      "UPDATE session SET pins = '[_'",
    ];
    const saved: string[] = ["c"];
    for (const [index, sql] of [...damages, ...damages].entries()) {
      execute(place, sql);
      // One store repairs several rows before the other meets any.
      const [first, second] = index % 5 < 3 ? [one, two] : [two, one];
      const { checkpointId, status, durability } = await first.saveCheckpoint({ sessionId: "s", context: { index } });
      expect({ status, durability }).toEqual({ status: "SAVED", durability: "disk" });
      saved.push(checkpointId);
      const [{ checkpoints, total }, loaded] = await Promise.all([
        second.findCheckpoints({ sessionId: "s", limit: 100 }),
        first.loadCheckpoint({ checkpointId: "c" }),
      ]);
      expect(checkpoints.map(({ id }) => id)).toEqual(saved.toReversed());
      expect(total).toBe(saved.length);
      expect(loaded).toMatchObject({ context: { note: "a note" }, metadata: { name: "its name" } });
    }
    expect((await two.verifyStore()).findings).toEqual([]);
  }));

it("a column used by filters, in a catalog too large to be checked at each opening, is repaired by a verification", () =>
  onDisk(async (place) => {
    await using store = await place.open({ upkeep: false });
    await store.saveCheckpoint({ sessionId: "s", checkpointId: "c", context: { note: "a note" }, agentId: "agent" });
    execute(place, "CREATE TABLE filler (x BLOB); INSERT INTO filler VALUES (zeroblob(3 * 1024 * 1024))");
    execute(place, "UPDATE checkpoint SET agent_id = 'agenu' WHERE id = 'c'");
    const ofAgent = async (): Promise<number> => (await store.findCheckpoints({ agentId: "agent" })).checkpoints.length;
    expect(await ofAgent()).toBe(0);
    expect((await store.verifyStore()).findings).toEqual([]);
    expect(await ofAgent()).toBe(1);
  }));

/** Replaces the name of a row, which differs in one letter. */
function damageRow(place: Place, name: string): void {
  execute(place, `UPDATE checkpoint SET name = '${name}' WHERE id = 'c'`);
}

/** Runs in another process: two SQLite libraries in one process break each other's locks. */
function execute({ dataDir }: Place, sql: string): void {
  const script = 'new (require("node:sqlite").DatabaseSync)(process.argv[1]).exec(process.argv[2])';
  execFileSync(process.execPath, ["-e", script, path.join(dataDir, "workrail.db"), sql]);
}
