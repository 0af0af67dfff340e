import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Storage } from "@workrail/core";
import { openSqliteFs } from "@workrail/sqlite-fs";
import { expect, it } from "vitest";
import { onDisk, type Place, refusalOf } from "./stores.ts";

const ENV = { WORKRAIL_LOCK_TIMEOUT_MS: "50" };

it("a damaged row that others keep from being mended is waited for once, and mended when they are gone", () =>
  onDisk(async (place) => {
    const other = await place.open();
    await other.saveCheckpoint({ sessionId: "s", checkpointId: "c", context: { note: "a note" }, metadata: { name: "its name" } });
    await other.saveCheckpoint({ sessionId: "newest", context: { note: "another" } });
    damageRow(place);
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

/** One letter of a name becomes another. */
function damageRow({ dataDir }: Place): void {
  const database = new DatabaseSync(path.join(dataDir, "workrail.db"));
  database.exec("UPDATE checkpoint SET name = 'its nbme' WHERE id = 'c'");
  database.close();
}
