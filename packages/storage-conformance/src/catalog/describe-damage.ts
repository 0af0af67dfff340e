import { type AuditEvent, type CheckpointRecord, type SessionId, type StorageInUse, WorkrailError } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { append, idsOf } from "../append.ts";
import type { StorageHarness } from "../harness.ts";
import { withStore } from "../store-under-test.ts";
import { randomIds } from "../environment.ts";
import { codeOf } from "../workbench.ts";

/** Tests damaged checkpoints: they are marked and put aside, never become head, and stay in the catalog. */
export function describeDamage(harness: StorageHarness): void {
  const onStore = (test: (storage: StorageInUse, sessionId: SessionId) => Promise<void>) => () =>
    withStore(harness, ({ storage }) => test(storage, randomIds.sessionId()));

  describe("a damaged checkpoint", () => {
    it(
      "is marked with an audit row, keeps its place, and is not the head",
      onStore(async (storage, sessionId) => {
        const first = await append(storage, { sessionId });
        const second = await append(storage, { sessionId });
        expect(second.damaged).toBe(false);
        expect(await mark(storage, second)).toBe(true);
        expect(await storage.catalog.find(second.id)).toEqual({ ...second, damaged: true });
        expect((await storage.catalog.head(sessionId))?.id).toBe(first.id);
        const { records, total } = await storage.catalog.list({ filter: { sessionId }, limit: 10, offset: 0 });
        expect([idsOf(records), total]).toEqual([[second.id, first.id], 2]);
        expect(await storage.catalog.session(sessionId)).toMatchObject({ checkpointCount: 2, damagedCount: 1 });
        expect(await storage.catalog.usage()).toMatchObject({ checkpoints: 2, damaged: 1 });
      }),
    );

    it(
      "leaves a line in the audit log, and only when it is marked",
      onStore(async (storage, sessionId) => {
        const record = await append(storage, { sessionId });
        expect(await mark(storage, record, async () => false)).toBe(false);
        expect(await mark(storage, record)).toBe(true);
        expect(await storage.catalog.auditLog({ actions: ["quarantine"] })).toMatchObject([auditOf(record)]);
      }),
    );

    it(
      "is skipped when a save compares its content with the head",
      onStore(async (storage, sessionId) => {
        const first = await append(storage, { sessionId });
        const second = await append(storage, { sessionId });
        await mark(storage, second);
        const next = await append(storage, { sessionId }, { expectedHead: first.id, unlessHeadIs: second.canonicalDigest });
        expect(next.sequence).toBe(3);
        await mark(storage, first);
        await mark(storage, next);
        expect(await storage.catalog.head(sessionId)).toBeUndefined();
      }),
    );

    it(
      "is not marked twice, nor when its record changed, nor when its bytes prove right",
      onStore(async (storage, sessionId) => {
        const record = await append(storage, { sessionId });
        expect(await mark(storage, record, async () => false)).toBe(false);
        for (const stale of [
          { ...record, blobBytes: record.blobBytes + 1 },
          { ...record, baseId: record.id },
          { ...record, id: randomIds.checkpointId() },
        ]) {
          expect(await mark(storage, stale, () => Promise.reject(new Error("Nobody may ask.")))).toBe(false);
        }
        expect((await storage.catalog.find(record.id))?.damaged).toBe(false);
        expect(await mark(storage, record)).toBe(true);
        expect(await mark(storage, { ...record, damaged: true }, () => Promise.reject(new Error("Nobody may ask.")))).toBe(false);
      }),
    );

    it(
      "can be read while it is marked, and is not marked when the quarantine fails",
      onStore(async (storage, sessionId) => {
        const record = await append(storage, { sessionId });
        const failing = mark(storage, record, async () => {
          expect(await storage.catalog.find(record.id)).toMatchObject({ id: record.id });
          throw new WorkrailError("STORAGE_UNAVAILABLE", "The look failed.");
        });
        expect(await codeOf(failing)).toBe("STORAGE_UNAVAILABLE");
        expect(await storage.catalog.find(record.id)).toEqual(record);
        expect(await mark(storage, record)).toBe(true);
      }),
    );

    it(
      "blocks commits while it is checked and marked",
      onStore(async (storage, sessionId) => {
        const record = await append(storage, { sessionId });
        const events: string[] = [];
        const begun = Promise.withResolvers<void>();
        const marking = mark(storage, record, async () => {
          begun.resolve();
          // Long enough for a commit that wrongly does not wait to finish first.
          await new Promise((resolve) => setTimeout(resolve, 60));
          events.push("put aside");
          return true;
        });
        await begun.promise;
        // The append prunes the checkpoint that is being marked.
        await append(storage, { sessionId }, { keepNewest: 1 }).finally(() => events.push("committed"));
        expect(await marking).toBe(true);
        expect(events).toEqual(["put aside", "committed"]);
      }),
    );

    it(
      "is whole again when its blob is replaced",
      onStore(async (storage, sessionId) => {
        const record = await append(storage, { sessionId });
        await mark(storage, record, async () => (await storage.blobs.quarantine(record.blob)) !== undefined);
        const marked = (await storage.catalog.find(record.id)) as CheckpointRecord;
        const bytes = new Uint8Array(7).fill(1);
        const becomes = { blobBytes: bytes.length, baseId: null, keyId: null };
        expect(await storage.catalog.replaceBlob(marked, becomes, () => storage.blobs.replace(record.blob, bytes))).toBe(true);
        expect(await storage.catalog.head(sessionId)).toEqual({ ...record, blobBytes: 7 });
        expect(await storage.blobs.get(record.blob)).toHaveLength(7);
      }),
    );

    it(
      "does not become a base",
      onStore(async (storage, sessionId) => {
        const record = await append(storage, { sessionId });
        const base = await append(storage, { sessionId });
        await mark(storage, base);
        const becomes = { blobBytes: 1, baseId: base.id, keyId: null };
        expect(await storage.catalog.replaceBlob(record, becomes, () => Promise.reject(new Error("Nobody may write.")))).toBe(false);
        expect(await storage.catalog.find(record.id)).toEqual(record);
      }),
    );

    it(
      "goes when the session is pruned",
      onStore(async (storage, sessionId) => {
        const record = await append(storage, { sessionId });
        await mark(storage, record, async () => (await storage.blobs.quarantine(record.blob)) !== undefined);
        await append(storage, { sessionId }, { keepNewest: 1 });
        expect(await storage.catalog.find(record.id)).toBeUndefined();
        expect(await storage.catalog.session(sessionId)).toMatchObject({ checkpointCount: 1, damagedCount: 0 });
        expect(await storage.catalog.usage()).toMatchObject({ checkpoints: 1, damaged: 0 });
        await storage.catalog.reclaim(undefined, (ref) => storage.blobs.remove(ref));
      }),
    );
  });

  describe("the quarantine", () => {
    it(
      "hides a blob, and keeps several of one name side by side",
      onStore(async ({ blobs }, sessionId) => {
        const key = { sessionId, checkpointId: randomIds.checkpointId() };
        const places = new Set<string | undefined>();
        for (let time = 1; time <= 3; time++) {
          const ref = await blobs.put(key, new Uint8Array(time));
          if (ref !== undefined) places.add(await blobs.quarantine(ref));
          expect(await blobs.get(blobs.refOf(key))).toBeUndefined();
          for await (const { ref: listed } of blobs.list()) throw new Error(`${listed} is listed.`);
        }
        expect(places.size).toBe(3);
        expect(places.has(undefined)).toBe(false);
        expect(await blobs.quarantine(blobs.refOf(key))).toBeUndefined();
        const listed: unknown[] = [];
        for await (const { place, sizeBytes } of blobs.listQuarantine()) listed.push([places.has(place), sizeBytes]);
        expect(listed).toEqual([...places].map(() => [true, expect.any(Number)]));
      }),
    );
  });

  describe("reconciling", () => {
    it(
      "finds nothing in a consistent catalog, and adds missing edges",
      onStore(async (storage, sessionId) => {
        const base = await append(storage, { sessionId });
        const dependent = await append(storage, { sessionId });
        expect(await storage.catalog.reconcile(true)).toEqual({ sums: [], edges: [] });
        const becomes = { blobBytes: dependent.blobBytes, baseId: base.id, keyId: null };
        await storage.catalog.replaceBlob(dependent, becomes, async () => undefined);
        const missing = { sums: [], edges: [{ dependent: dependent.id, base: base.id }] };
        expect(await storage.catalog.reconcile(false)).toEqual(missing);
        expect(await storage.catalog.reconcile(true)).toEqual(missing);
        expect(await storage.catalog.reconcile(false)).toEqual({ sums: [], edges: [] });
      }),
    );
  });
}

function auditOf({ sessionId, id }: CheckpointRecord): AuditEvent {
  return { at: new Date("2026-02-03T04:05:06.000Z"), action: "quarantine", sessionId, checkpointId: id, agentId: undefined };
}

function mark(storage: StorageInUse, record: CheckpointRecord, putAside: () => Promise<boolean> = async () => true): Promise<boolean> {
  return storage.catalog.markDamaged(record, auditOf(record), putAside);
}
