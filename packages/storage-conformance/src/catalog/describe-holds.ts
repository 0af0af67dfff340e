import type { BlobRef, StorageInUse } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { append } from "../append.ts";
import type { StorageHarness } from "../harness.ts";
import { withStore } from "../store-under-test.ts";
import { randomIds } from "../environment.ts";

const HOUR = 60 * 60 * 1_000;

/** Tests holds: removals wait while a copy is made. */
export function describeHolds(harness: StorageHarness): void {
  const onStore = (test: (storage: StorageInUse) => Promise<void>) => () => withStore(harness, ({ storage }) => test(storage));

  describe("holds", () => {
    it(
      "keep every blob, until the last of them ends",
      onStore(async (storage) => {
        const gone = await aRemoval(storage);
        await storage.catalog.holdRemovals("one", new Date(Date.now() + HOUR));
        await storage.catalog.holdRemovals("other", new Date(Date.now() + HOUR));
        await storage.catalog.releaseRemovals("one");
        expect(await reclaim(storage)).toEqual([]);
        expect(await reclaim(storage, [gone])).toEqual([]);
        await storage.catalog.releaseRemovals("other");
        await storage.catalog.releaseRemovals("unknown");
        expect(await reclaim(storage)).toEqual([gone]);
      }),
    );

    it(
      "of a holder that is gone end by themselves",
      onStore(async (storage) => {
        const gone = await aRemoval(storage);
        await storage.catalog.holdRemovals("crashed", new Date(Date.now() + HOUR));
        await storage.catalog.holdRemovals("crashed", new Date(Date.now() - 1));
        expect(await reclaim(storage)).toEqual([gone]);
      }),
    );

    it(
      "are nobody's business but that of removals",
      onStore(async (storage) => {
        await storage.catalog.holdRemovals("one", new Date(Date.now() + HOUR));
        const sessionId = randomIds.sessionId();
        const record = await append(storage, { sessionId });
        expect(await storage.catalog.replaceBlob(record, { blobBytes: 1, baseId: null, keyId: null }, async () => {})).toBe(true);
        await append(storage, { sessionId }, { keepNewest: 1 });
        expect(await storage.catalog.usage()).toMatchObject({ checkpoints: 1, pendingRemovals: 1 });
      }),
    );
  });
}

function reclaim(storage: StorageInUse, refs?: readonly BlobRef[]): Promise<readonly BlobRef[]> {
  return storage.catalog.reclaim(refs, (ref) => storage.blobs.remove(ref));
}

async function aRemoval(storage: StorageInUse): Promise<BlobRef> {
  const sessionId = randomIds.sessionId();
  const removed = await append(storage, { sessionId });
  await append(storage, { sessionId }, { keepNewest: 1 });
  return removed.blob;
}
