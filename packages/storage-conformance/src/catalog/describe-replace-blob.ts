import type { CheckpointRecord, StorageInUse, StoredForm } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { append } from "../append.ts";
import { noise, same } from "../bytes.ts";
import type { StorageHarness } from "../harness.ts";
import { withStore } from "../store-under-test.ts";
import { randomIds } from "../environment.ts";

const NEVER = (): Promise<never> => Promise.reject(new Error("It was written although it must not be."));

/** Tests that replacing a checkpoint's blob changes the record too, or changes nothing. */
export function describeReplaceBlob(harness: StorageHarness): void {
  const onPair = (test: (storage: StorageInUse, pair: Pair) => Promise<void>) => () =>
    withStore(harness, async ({ storage }) => test(storage, await aPair(storage)));

  describe("replaceBlob", () => {
    it(
      "records how the blob is kept from now on, and adjusts the session's total",
      onPair(async (storage, { older, newer }) => {
        const before = await storage.catalog.session(older.sessionId);
        const bytes = noise(10);
        const becomes: StoredForm = { blobBytes: bytes.length, baseId: newer.id, keyId: null };
        expect(await storage.catalog.replaceBlob(older, becomes, () => storage.blobs.replace(older.blob, bytes))).toBe(true);
        const replaced = { ...older, ...becomes };
        expect(await storage.catalog.find(older.id)).toEqual(replaced);
        expect(await storage.catalog.find(newer.id)).toEqual(newer);
        expect(same(await storage.blobs.get(older.blob), bytes)).toBe(true);
        const totalSizeBytes = (before?.totalSizeBytes ?? 0) - older.blobBytes + bytes.length;
        expect(await storage.catalog.session(older.sessionId)).toEqual({ ...before, totalSizeBytes });

        const whole: StoredForm = { blobBytes: 1_000, baseId: null, keyId: "another key" as never };
        expect(await storage.catalog.replaceBlob(replaced, whole, async () => undefined)).toBe(true);
        expect(await storage.catalog.find(older.id)).toEqual({ ...older, ...whole });
      }),
    );

    it.each<[string, (record: CheckpointRecord, other: CheckpointRecord) => CheckpointRecord]>([
      ["its size", (record) => ({ ...record, blobBytes: record.blobBytes + 1 })],
      ["its base", (record, other) => ({ ...record, baseId: other.id })],
      ["its key", (record) => ({ ...record, keyId: "another key" as never })],
      ["its blob", (record, other) => ({ ...record, blob: other.blob })],
    ])("writes and changes nothing when %s is not as expected", async (_, stale) => {
      await withStore(harness, async ({ storage }) => {
        const { older, newer } = await aPair(storage);
        const becomes = { blobBytes: 1, baseId: newer.id, keyId: null };
        expect(await storage.catalog.replaceBlob(stale(older, newer), becomes, NEVER)).toBe(false);
        expect(await storage.catalog.find(older.id)).toEqual(older);
      });
    });

    it(
      "writes and changes nothing when the checkpoint was removed",
      onPair(async (storage, { older, newer }) => {
        await append(storage, { sessionId: older.sessionId }, { keepNewest: 2 });
        expect(await storage.catalog.replaceBlob(older, { blobBytes: 1, baseId: newer.id, keyId: null }, NEVER)).toBe(false);
        expect(await storage.catalog.find(older.id)).toBeUndefined();
      }),
    );

    it(
      "writes and changes nothing when the new base is not live",
      onPair(async (storage, { older, newer }) => {
        const unknown = { blobBytes: 1, baseId: randomIds.checkpointId(), keyId: null };
        expect(await storage.catalog.replaceBlob(newer, unknown, NEVER)).toBe(false);
        await append(storage, { sessionId: older.sessionId }, { keepNewest: 2 });
        expect(await storage.catalog.replaceBlob(newer, { ...unknown, baseId: older.id }, NEVER)).toBe(false);
        expect(await storage.catalog.find(newer.id)).toEqual(newer);
      }),
    );

    it(
      "records nothing when the write fails, and can do it again",
      onPair(async (storage, { older, newer }) => {
        const session = await storage.catalog.session(older.sessionId);
        const failure = new Error("the disk is away");
        const becomes = { blobBytes: 1, baseId: newer.id, keyId: null };
        await expect(storage.catalog.replaceBlob(older, becomes, () => Promise.reject(failure))).rejects.toBe(failure);
        expect(await storage.catalog.find(older.id)).toEqual(older);
        expect(await storage.catalog.session(older.sessionId)).toEqual(session);
        expect(await storage.catalog.replaceBlob(older, becomes, async () => undefined)).toBe(true);
      }),
    );

    it(
      "lets no commit through while it writes",
      onPair(async (storage, { older, newer }) => {
        const events: string[] = [];
        const begun = Promise.withResolvers<void>();
        const replacing = storage.catalog.replaceBlob(older, { blobBytes: 1, baseId: newer.id, keyId: null }, async () => {
          begun.resolve();
          // Long enough for a commit that wrongly does not wait to finish first.
          await new Promise((resolve) => setTimeout(resolve, 60));
          events.push("written");
        });
        await begun.promise;
        // The append prunes the checkpoint whose blob is being replaced.
        await append(storage, { sessionId: older.sessionId }, { keepNewest: 1 }).finally(() => events.push("committed"));
        expect(await replacing).toBe(true);
        expect(events).toEqual(["written", "committed"]);
        expect(await storage.catalog.find(older.id)).toBeUndefined();
        expect((await storage.catalog.session(older.sessionId))?.checkpointCount).toBe(1);
      }),
    );

    it(
      "is done once when two want to",
      onPair(async (storage, { older, newer }) => {
        let writes = 0;
        const replace = (blobBytes: number) =>
          storage.catalog.replaceBlob(older, { blobBytes, baseId: newer.id, keyId: null }, async () => void (writes += 1));
        expect((await Promise.all([replace(1), replace(2)])).filter((isDone) => isDone)).toHaveLength(1);
        expect(writes).toBe(1);
      }),
    );
  });
}

interface Pair {
  readonly older: CheckpointRecord;
  readonly newer: CheckpointRecord;
}

async function aPair(storage: StorageInUse): Promise<Pair> {
  const sessionId = randomIds.sessionId();
  return { older: await append(storage, { sessionId }), newer: await append(storage, { sessionId }) };
}
