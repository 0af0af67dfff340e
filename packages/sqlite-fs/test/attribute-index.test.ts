import path from "node:path";
import type { CheckpointId, JsonObject } from "@workrail/core";
import { expect, it } from "vitest";
import { withDatabase } from "./open-database.ts";
import { SESSION, type TestStore, withDirectory, withOpened } from "./test-store.ts";

it("finds checkpoints by their attributes before they are indexed, 64 at once, and afterwards", () =>
  withDirectory(async (directory) => {
    const dataDir = path.join(directory, "data");
    await withOpened(dataDir, async (store) => {
      for (let number = 1; number <= 66; number++) await save(store, number, { seventh: number % 7, number });
      const indexed = () =>
        withDatabase(path.join(dataDir, "workrail.db"), (database) =>
          database.prepare("SELECT count(*) AS rows, max(ordinal) AS last FROM checkpoint_attribute").get(),
        );
      expect(indexed()).toEqual({ rows: 128, last: 64 });
      expect([await found(store, { seventh: 3 }), await found(store, { number: 64 }), await found(store, { number: 66 })]).toEqual([
        10, 1, 1,
      ]);

      const move = { sessionId: SESSION, checkpoints: [idOf(3), idOf(66)], at: new Date(), reason: "test" } as const;
      await store.storage.catalog.commit({ move: { ...move, from: "live", to: "trash" }, audit: [] });
      expect(indexed()).toEqual({ rows: 126, last: 64 });
      expect([await found(store, { seventh: 3 }), await found(store, { number: 66 })]).toEqual([8, 0]);
      await store.storage.catalog.commit({ move: { ...move, from: "trash", to: "live" }, audit: [] });
      expect(indexed()).toEqual({ rows: 128, last: 64 });

      await store.rebuild();
      expect([await found(store, { seventh: 3 }), await found(store, { number: 66 }), await found(store, { number: "66" })]).toEqual([
        10, 1, 0,
      ]);
      expect(indexed()).toEqual({ rows: 128, last: 64 });
    });
  }));

async function save(store: TestStore, number: number, attributes: JsonObject): Promise<void> {
  await store.save({ number }, { checkpointId: idOf(number), attributes });
}

function idOf(number: number): CheckpointId {
  return `checkpoint-${number}` as CheckpointId;
}

async function found(store: TestStore, attributes: Readonly<Record<string, string | number>>): Promise<number> {
  return (await store.storage.catalog.list({ filter: { attributes }, limit: 1, offset: 0 })).total;
}
