import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { withStore } from "./test-store.ts";

it("the reserve gives back its own room and that of the write-ahead log, and everything is still there", () =>
  withStore(async (store) => {
    for (let number = 1; number <= 20; number++) await store.save({ number });
    const { reserve } = store.storage;
    expect(await reserve?.keep()).toBe(true);
    expect(fs.readdirSync(store.dataDir)).toContain("reserve");
    const log = path.join(store.dataDir, "workrail.db-wal");
    expect(fs.statSync(log).size).toBeGreaterThan(0);
    await reserve?.release();
    expect(fs.readdirSync(store.dataDir)).not.toContain("reserve");
    expect(fs.statSync(log).size).toBe(0);
    expect(await store.contextOf()).toEqual({ number: 20 });
    await store.save({ number: 21 });
    expect((await store.verify()).findings).toEqual([]);
  }));
