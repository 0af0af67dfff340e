import type { BlobRef, Edge, StorageInUse } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { append, commitRecord, storedRecord } from "../append.ts";
import type { StorageHarness } from "../harness.ts";
import { withStore } from "../store-under-test.ts";
import { randomIds } from "../environment.ts";

/** Tests which blobs may be reclaimed, and when. */
export function describeReclaim(harness: StorageHarness): void {
  const onStore = (test: (storage: StorageInUse) => Promise<void>) => () => withStore(harness, ({ storage }) => test(storage));

  describe("reclaim", () => {
    it(
      "removes the blobs of removed checkpoints, once",
      onStore(async (storage) => {
        const { removed, kept } = await sessionWithRemoved(storage);
        expect(await reclaim(storage)).toEqual([removed.blob]);
        expect(await storage.blobs.get(removed.blob)).toBeUndefined();
        expect(await storage.blobs.get(kept.blob)).toBeDefined();
        expect(await reclaim(storage)).toEqual([]);
      }),
    );

    it(
      "takes what nobody needs among the refs it is given, and leaves the rest",
      onStore(async (storage) => {
        const { removed, kept } = await sessionWithRemoved(storage);
        const orphan = await storedRecord(storage, { sessionId: kept.sessionId });
        const asked: BlobRef[] = [];
        const taken = await storage.catalog.reclaim([kept.blob, orphan.blob, removed.blob], async (ref) => void asked.push(ref));
        expect([...taken].sort()).toEqual([orphan.blob, removed.blob].sort());
        expect(asked.sort()).toEqual([...taken].sort());
        expect(await reclaim(storage)).toEqual([]);
      }),
    );

    it(
      "removes all of many refs",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const keys = Array.from({ length: 130 }, () => ({ sessionId, checkpointId: randomIds.checkpointId() }));
        const refs = await Promise.all(keys.map(async (key) => (await storage.blobs.put(key, new Uint8Array(1))) as BlobRef));
        expect((await reclaim(storage, refs)).toSorted()).toEqual(refs.toSorted());
        for await (const { ref } of storage.blobs.list()) throw new Error(`${ref} is still there.`);
      }),
    );

    it(
      "keeps a removal pending when the blob could not be removed",
      onStore(async (storage) => {
        const { removed } = await sessionWithRemoved(storage);
        const failing = storage.catalog.reclaim(undefined, () => Promise.reject(new Error("the disk is away")));
        await failing.catch(() => undefined);
        expect(await reclaim(storage)).toEqual([removed.blob]);
      }),
    );

    it(
      "leaves a blob that is the base of a live checkpoint",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const base = await append(storage, { sessionId });
        const dependent = await append(storage, { sessionId });
        const edge: Edge = { dependent: dependent.id, base: base.id };
        await storage.catalog.commit({ edges: { add: [edge], drop: [] }, audit: [] });
        await append(storage, { sessionId }, { keepNewest: 2 });
        expect(await storage.catalog.find(base.id)).toBeUndefined();
        expect(await reclaim(storage)).toEqual([]);
        expect(await reclaim(storage, [base.blob])).toEqual([]);
        await storage.catalog.commit({ edges: { add: [], drop: [edge] }, audit: [] });
        expect(await reclaim(storage)).toEqual([base.blob]);
      }),
    );

    it(
      "blocks commits while it removes",
      onStore(async (storage) => {
        const record = await storedRecord(storage, { sessionId: randomIds.sessionId() });
        const events: string[] = [];
        const begun = Promise.withResolvers<void>();
        const reclaiming = storage.catalog.reclaim([record.blob], async (ref) => {
          begun.resolve();
          // Long enough for a commit that wrongly does not wait to finish first.
          await new Promise((resolve) => setTimeout(resolve, 60));
          await storage.blobs.remove(ref);
          events.push("removed");
        });
        await begun.promise;
        const outcome = await commitRecord(storage, record).finally(() => events.push("committed"));
        expect(await reclaiming).toEqual([record.blob]);
        expect(events).toEqual(["removed", "committed"]);
        expect(outcome.status).toBe(harness.capabilities.seesBlobs ? "blob-missing" : "committed");
      }),
    );

    it(
      "removes nothing that was committed before it",
      onStore(async (storage) => {
        const record = await storedRecord(storage, { sessionId: randomIds.sessionId() });
        const [outcome, taken] = await Promise.all([commitRecord(storage, record), reclaim(storage, [record.blob])]);
        const bytes = await storage.blobs.get(record.blob);
        // In either order, a record whose blob the catalog can see never loses the blob.
        const came = outcome.status === "committed" && taken.length === 0 ? "commit" : "reclaim";
        expect({ came, status: outcome.status, hasBlob: bytes !== undefined }).toEqual(
          came === "commit"
            ? { came, status: "committed", hasBlob: true }
            : { came, status: harness.capabilities.seesBlobs ? "blob-missing" : "committed", hasBlob: false },
        );
      }),
    );
  });

  describe("audit", () => {
    it(
      "has the rows of each commit, and a `prune` for each checkpoint that keepNewest removed",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const at = new Date("2026-05-06T07:08:09.010Z");
        const record = await storedRecord(storage, { sessionId });
        const terms = { record, unlessHeadIs: undefined, expectedHead: undefined, keepNewest: undefined };
        const event = { at, action: "save", sessionId, checkpointId: record.id, agentId: "agent" } as const;
        await storage.catalog.commit({ append: terms, audit: [event] });
        await append(storage, { sessionId }, { keepNewest: 1 });
        const [saved, pruned, ...more] = await storage.catalog.auditLog({ first: "oldest" });
        expect(saved).toMatchObject(event);
        expect(pruned).toMatchObject({ action: "prune", sessionId, checkpointId: record.id });
        expect(more).toEqual([]);
      }),
    );

    it(
      "has no rows of a declined commit",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const record = await storedRecord(storage, { sessionId });
        const terms = { record, unlessHeadIs: undefined, expectedHead: randomIds.checkpointId(), keepNewest: undefined };
        const event = { at: new Date(), action: "save", sessionId, checkpointId: record.id, agentId: undefined } as const;
        expect((await storage.catalog.commit({ append: terms, audit: [event] })).status).toBe("conflict");
        expect(await storage.catalog.auditLog({ first: "oldest" })).toEqual([]);
      }),
    );
  });
}

function reclaim(storage: StorageInUse, refs?: readonly BlobRef[]): Promise<readonly BlobRef[]> {
  return storage.catalog.reclaim(refs, (ref) => storage.blobs.remove(ref));
}

async function sessionWithRemoved(storage: StorageInUse) {
  const sessionId = randomIds.sessionId();
  const removed = await append(storage, { sessionId });
  return { removed, kept: await append(storage, { sessionId }, { keepNewest: 1 }) };
}
