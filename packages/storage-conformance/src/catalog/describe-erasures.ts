import type { BlobRef, CheckpointId, CheckpointRecord, Edge, SessionId, StorageInUse } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { append, commitRecord, storedRecord } from "../append.ts";
import { noise } from "../bytes.ts";
import { randomIds } from "../environment.ts";
import type { StorageHarness } from "../harness.ts";
import { provided, withStore } from "../store-under-test.ts";
import { Workbench } from "../workbench.ts";

/** Tests erasures: the catalog remembers an erased checkpoint until nothing of it is left. */
export function describeErasures(harness: StorageHarness): void {
  const onStore = (test: (storage: StorageInUse) => Promise<void>) => () => withStore(harness, ({ storage }) => test(storage));

  describe("erasures", () => {
    it.each(["live", "trash"] as const)("are what a move from %s erases, until that is done", async (from) => {
      await withStore(harness, async ({ storage }) => {
        const sessionId = randomIds.sessionId();
        const [gone, kept] = [await append(storage, { sessionId }), await append(storage, { sessionId })];
        if (from === "trash") await move(storage, kept.sessionId, [gone.id], { from: "live", to: "trash" });
        await move(storage, sessionId, [gone.id], { from, to: "nowhere", erases: true });
        expect(await storage.catalog.erasures()).toEqual([{ checkpointId: gone.id, sessionId, blob: gone.blob, edges: [] }]);
        expect(await reclaim(storage)).toEqual([[gone.blob, true]]);
        expect(await storage.catalog.erasures()).toHaveLength(1);
        await storage.catalog.commit({ erased: [gone.id], audit: [] });
        expect(await storage.catalog.erasures()).toEqual([]);
        expect(await storage.catalog.find(kept.id)).toEqual(kept);
      });
    });

    it(
      "do not include checkpoints that are only removed",
      onStore(async (storage) => {
        const gone = await append(storage, { sessionId: randomIds.sessionId() });
        await move(storage, gone.sessionId, [gone.id], { from: "live", to: "nowhere" });
        expect(await storage.catalog.erasures()).toEqual([]);
        expect(await reclaim(storage)).toEqual([[gone.blob, false]]);
      }),
    );

    it(
      "name their dependents, live, in the trash, or through removed ones",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const records = [];
        for (let index = 0; index < 5; index++) records.push(await append(storage, { sessionId }));
        const [live, trashed, removed, gone, other] = records as [
          CheckpointRecord,
          CheckpointRecord,
          CheckpointRecord,
          CheckpointRecord,
          CheckpointRecord,
        ];
        const edge = (dependent: CheckpointRecord, base: CheckpointRecord): Edge => ({ dependent: dependent.id, base: base.id });
        const needing = [edge(live, removed), edge(trashed, gone)];
        await storage.catalog.commit({ edges: { add: [...needing, edge(removed, gone), edge(live, other)], drop: [] }, audit: [] });
        await move(storage, sessionId, [trashed.id], { from: "live", to: "trash" });
        await move(storage, sessionId, [removed.id], { from: "live", to: "nowhere" });
        await move(storage, sessionId, [gone.id], { from: "live", to: "nowhere", erases: true });
        const [erasure] = await storage.catalog.erasures();
        expect(new Set(erasure?.edges)).toEqual(new Set(needing));
        expect(await reclaim(storage)).toEqual([]);
        await storage.catalog.commit({ edges: { add: [], drop: needing }, audit: [] });
        expect(await reclaim(storage)).toEqual([
          [removed.blob, false],
          [gone.blob, true],
        ]);
      }),
    );

    it.each(["is still there", "is gone already"])("are gone on with after a rebuild, where the file %s", (file) =>
      withStore(harness, async ({ storage }) => {
        const bench = new Workbench(storage);
        const save = async (sessionId: SessionId): Promise<CheckpointRecord> =>
          (await bench.save({ sessionId, context: { sessionId } })).record;
        const [gone, kept] = [await save(randomIds.sessionId()), await save(randomIds.sessionId())];
        await move(storage, gone.sessionId, [gone.id], { from: "live", to: "nowhere", erases: true });
        if (file === "is gone already") await reclaim(storage);
        await bench.rebuild();
        const { id: checkpointId, sessionId, blob } = gone;
        expect(await storage.catalog.erasures()).toEqual([{ checkpointId, sessionId, blob, edges: [] }]);
        expect(await storage.catalog.find(checkpointId)).toBeUndefined();
        expect((await bench.finishErasures()).left).toEqual([]);
        await bench.rebuild();
        expect(await storage.catalog.erasures()).toEqual([]);
        expect((await bench.list({})).map(({ id }) => id)).toEqual([kept.id]);
      }),
    );

    it(
      "end when the id is saved again",
      onStore(async (storage) => {
        const gone = await append(storage, { sessionId: randomIds.sessionId() });
        await move(storage, gone.sessionId, [gone.id], { from: "live", to: "nowhere", erases: true });
        const again = await storedRecord(storage, { sessionId: gone.sessionId, id: gone.id });
        expect((await commitRecord(storage, again)).status).toBe("committed");
        expect(await storage.catalog.erasures()).toEqual([]);
        expect(await reclaim(storage)).toEqual([]);
      }),
    );

    it(
      "allow replacing a blob in the trash, and update the bytes of the trash",
      onStore(async (storage) => {
        const record = await append(storage, { sessionId: randomIds.sessionId() });
        await move(storage, record.sessionId, [record.id], { from: "live", to: "trash" });
        const bytes = noise(77);
        const becomes = { blobBytes: bytes.length, baseId: null, keyId: null };
        const stale = { ...record, blobBytes: 1 };
        expect(await storage.catalog.replaceBlob(stale, becomes, () => Promise.reject(new Error("It was written.")))).toBe(false);
        expect(await storage.catalog.replaceBlob(record, becomes, () => storage.blobs.replace(record.blob, bytes))).toBe(true);
        const { entries } = await storage.catalog.trash({ checkpointId: record.id, limit: 1 });
        expect(entries.map((entry) => entry.record)).toEqual([{ ...record, ...becomes }]);
        expect(await storage.catalog.usage()).toMatchObject({ trashed: 1, trashBytes: 77 });
      }),
    );

    it(
      "are found in the audit log by their checkpoint",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const [one, other] = [await append(storage, { sessionId }), await append(storage, { sessionId })];
        await move(storage, sessionId, [one.id, other.id], { from: "live", to: "nowhere", erases: true });
        const rows = await storage.catalog.auditLog({ actions: ["delete"], checkpointId: one.id });
        expect(rows).toMatchObject([{ action: "delete", checkpointId: one.id, reason: "a test" }]);
      }),
    );

    provided(harness.capabilities.persistent, "the storage forgets everything when it is closed", () => {
      it("last", () =>
        withStore(harness, async (store) => {
          const gone = await append(store.storage, { sessionId: randomIds.sessionId() });
          await move(store.storage, gone.sessionId, [gone.id], { from: "live", to: "nowhere", erases: true });
          const storage = await store.reopen();
          expect(await storage.catalog.erasures()).toMatchObject([{ checkpointId: gone.id, blob: gone.blob }]);
          expect(await reclaim(storage)).toEqual([[gone.blob, true]]);
        }));
    });
  });
}

type Ends = { readonly from: "live"; readonly to: "trash" | "nowhere" } | { readonly from: "trash"; readonly to: "live" | "nowhere" };

async function move(
  { catalog }: StorageInUse,
  sessionId: SessionId,
  checkpoints: readonly CheckpointId[],
  ends: Ends & { readonly erases?: boolean },
): Promise<void> {
  const outcome = await catalog.commit({ move: { sessionId, checkpoints, at: new Date(), reason: "a test", ...ends }, audit: [] });
  expect(outcome.status === "committed" ? outcome.moved : []).toHaveLength(checkpoints.length);
}

/** Reclaims and returns the blobs that the catalog asked to remove, each with whether it had to be erased. */
async function reclaim({ catalog, blobs }: StorageInUse): Promise<readonly (readonly [BlobRef, boolean])[]> {
  const asked: [BlobRef, boolean][] = [];
  await catalog.reclaim(undefined, async (ref, isToBeErased) => {
    asked.push([ref, isToBeErased]);
    await (isToBeErased ? blobs.erase(ref) : blobs.remove(ref));
  });
  return asked;
}
