import { type CheckpointId, type CheckpointRecord, KEEP_TAG, type Move, type Shield, type StorageInUse } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { append, appendOn, type GivenRecord, idsOf } from "../append.ts";
import { randomIds } from "../environment.ts";
import type { StorageHarness } from "../harness.ts";
import { provided, withStore } from "../store-under-test.ts";

const NOW = new Date("2027-03-04T05:06:07.008Z");
const LATER = new Date("2027-03-11T05:06:07.008Z");
const LATEST = new Date("2027-03-18T05:06:07.008Z");

/** Tests shields and asides: a shielded checkpoint stays until its shield ends; asides make room for new asides. */
export function describeShields(harness: StorageHarness): void {
  const onStore = (test: (storage: StorageInUse) => Promise<void>) => () => withStore(harness, ({ storage }) => test(storage));

  describe("shields", () => {
    it(
      "are returned with the record, and are extended but never shortened",
      onStore(async (storage) => {
        const { id } = await append(storage, { sessionId: randomIds.sessionId() });
        expect((await storage.catalog.find(id))?.shieldedUntil).toBeUndefined();
        for (const [until, held] of [
          [LATER, LATER],
          [NOW, LATER],
          [LATER, LATER],
          [LATEST, LATEST],
        ] as const) {
          expect(await shield(storage, { checkpointId: id, until })).toMatchObject([{ id, shieldedUntil: held }]);
          expect((await storage.catalog.find(id))?.shieldedUntil).toEqual(held);
        }
        const { records } = await storage.catalog.list({ filter: {}, limit: 1, offset: 0 });
        expect(records).toEqual([await storage.catalog.find(id)]);
      }),
    );

    it(
      "skip unknown, removed and trashed checkpoints, and leave them out of the result",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const [trashed, removed, live] = [
          await append(storage, { sessionId }),
          await append(storage, { sessionId }),
          await append(storage, { sessionId }),
        ];
        await move(storage, trashed, { from: "live", to: "trash" });
        await move(storage, removed, { from: "live", to: "nowhere" });
        const ids = [randomIds.checkpointId(), trashed.id, removed.id, live.id, live.id];
        expect(idsOf(await shield(storage, ...ids.map((checkpointId) => ({ checkpointId, until: LATER }))))).toEqual([live.id]);
        await move(storage, trashed, { from: "trash", to: "live" });
        expect((await storage.catalog.find(trashed.id))?.shieldedUntil).toBeUndefined();
      }),
    );

    it(
      "hold from the commit of a checkpoint that is appended with them",
      onStore(async (storage) => {
        const given = await append(storage, { sessionId: randomIds.sessionId() });
        const id = randomIds.checkpointId();
        const bytes = new TextEncoder().encode("blob");
        const blob = await storage.blobs.put({ sessionId: given.sessionId, checkpointId: id }, bytes);
        const { sequence: _, lastAccessedAt: __, damaged: ___, shieldedUntil: ____, ...facts } = given;
        const record = { ...facts, id, blob: blob as CheckpointRecord["blob"] };
        const terms = { unlessHeadIs: undefined, expectedHead: undefined, keepNewest: undefined };
        const outcome = await storage.catalog.commit({
          append: { record, ...terms },
          shields: [{ checkpointId: id, until: LATER }],
          audit: [],
        });
        expect(outcome).toMatchObject({ status: "committed", record: { id, shieldedUntil: LATER }, shielded: [{ id }] });
        expect(await storage.catalog.find(id)).toMatchObject({ shieldedUntil: LATER });
      }),
    );

    it(
      "keep the oldest from being pruned until they end, and are counted all the same",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const [held, second] = [await append(storage, { sessionId }), await append(storage, { sessionId })];
        await shield(storage, { checkpointId: held.id, until: LATER });
        const third = await append(storage, { sessionId, createdAt: new Date(LATER.getTime() - 1) }, { keepNewest: 2 });
        expect(await live(storage)).toEqual([third.id, held.id]);
        expect(await storage.catalog.find(second.id)).toBeUndefined();
        const fourth = await append(storage, { sessionId, createdAt: LATER }, { keepNewest: 2 });
        expect(await live(storage)).toEqual([fourth.id, third.id]);
      }),
    );

    it(
      "keep a move from taking shielded checkpoints only when it spares them",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const [held, over, free] = [
          await append(storage, { sessionId }),
          await append(storage, { sessionId }),
          await append(storage, { sessionId }),
        ];
        await shield(storage, { checkpointId: held.id, until: LATER }, { checkpointId: over.id, until: NOW });
        const all = { sessionId, checkpoints: idsOf([held, over, free]), at: NOW, reason: "test", from: "live", to: "nowhere" } as const;
        const spared = await storage.catalog.commit({ move: { ...all, sparesShielded: true }, audit: [] });
        expect(spared.status === "committed" && idsOf(spared.moved)).toEqual([over.id, free.id]);
        expect(await live(storage)).toEqual([held.id]);
        const asked = await storage.catalog.commit({ move: all, audit: [] });
        expect(asked.status === "committed" && idsOf(asked.moved)).toEqual([held.id]);
        expect(await live(storage)).toEqual([]);
      }),
    );

    it(
      "come back from the trash with their checkpoints",
      onStore(async (storage) => {
        const record = await append(storage, { sessionId: randomIds.sessionId() });
        await shield(storage, { checkpointId: record.id, until: LATER });
        await move(storage, record, { from: "live", to: "trash" });
        const { entries } = await storage.catalog.trash({ checkpointId: record.id, limit: 2 });
        expect(entries.map((entry) => entry.record.shieldedUntil)).toEqual([LATER]);
        expect((await storage.catalog.trash({ checkpointId: randomIds.checkpointId(), limit: 2 })).entries).toEqual([]);
        await move(storage, record, { from: "trash", to: "live" });
        expect((await storage.catalog.find(record.id))?.shieldedUntil).toEqual(LATER);
      }),
    );

    provided(harness.capabilities.persistent, "the storage is not persistent", () => {
      it("survive a reopening of the store, extensions included", () =>
        withStore(harness, async (store) => {
          const { id } = await append(store.storage, { sessionId: randomIds.sessionId() });
          for (const until of [LATER, LATEST]) {
            await shield(store.storage, { checkpointId: id, until });
            await store.reopen();
            expect((await store.storage.catalog.find(id))?.shieldedUntil).toEqual(until);
          }
        }));
    });
  });

  describe("asides", () => {
    const limit = { count: 2, bytes: 100 };
    const anAside = (sessionId: GivenRecord["sessionId"], day: number, blobBytes = 10): GivenRecord => {
      return { sessionId, kind: "aside", createdAt: new Date(Date.UTC(2027, 0, day)), blobBytes };
    };

    it(
      "make room for a new one, those used longest ago first, and no other kind does",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const head = await append(storage, { sessionId, createdAt: new Date(0) });
        const other = await append(storage, anAside(randomIds.sessionId(), 1));
        const [first, second] = [await append(storage, anAside(sessionId, 2)), await append(storage, anAside(sessionId, 1))];
        await storage.catalog.commit({ accesses: [{ checkpointId: second.id, at: NOW }], audit: [] });
        const outcome = await appendOn(storage, anAside(sessionId, 3), { asides: limit });
        expect(outcome.status === "committed" && idsOf(outcome.removed)).toEqual([first.id]);
        expect(await storage.catalog.find(first.id)).toBeUndefined();
        for (const { id } of [head, other, second]) expect(await storage.catalog.find(id)).toBeDefined();
        expect(await storage.catalog.reclaim(undefined, (ref) => storage.blobs.remove(ref))).toEqual([first.blob]);
      }),
    );

    it(
      "make room for the bytes of a new one",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const [first, second] = [await append(storage, anAside(sessionId, 1, 30)), await append(storage, anAside(sessionId, 2, 60))];
        const third = await append(storage, anAside(sessionId, 3, 40), { asides: { count: 9, bytes: 100 } });
        expect(await live(storage)).toEqual([third.id, second.id]);
        expect(await storage.catalog.find(first.id)).toBeUndefined();
      }),
    );

    it(
      "are declined without a change when shielded asides leave no room",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const held = [await append(storage, anAside(sessionId, 1)), await append(storage, { ...anAside(sessionId, 2), tags: [KEEP_TAG] })];
        await shield(storage, { checkpointId: (held[0] as CheckpointRecord).id, until: LATER });
        expect(await appendOn(storage, { ...anAside(sessionId, 3), createdAt: NOW }, { asides: limit })).toEqual({ status: "asides-full" });
        expect(await appendOn(storage, anAside(randomIds.sessionId(), 3, 101), { asides: limit })).toEqual({ status: "asides-full" });
        expect(await live(storage)).toEqual(idsOf(held).toReversed());
        const later = await append(storage, { ...anAside(sessionId, 3), createdAt: LATER }, { asides: limit });
        expect(await live(storage)).toEqual([later.id, held[1]?.id]);
        expect(later.sequence).toBe(3);
      }),
    );
  });
}

async function shield(storage: StorageInUse, ...shields: readonly Shield[]): Promise<readonly CheckpointRecord[]> {
  const outcome = await storage.catalog.commit({ shields, audit: [] });
  if (outcome.status !== "committed") throw new Error(`Shields were answered ${outcome.status}.`);
  return outcome.shielded;
}

async function move(storage: StorageInUse, { sessionId, id }: CheckpointRecord, how: Pick<Move, "from" | "to">): Promise<void> {
  const given = { sessionId, checkpoints: [id], at: NOW, reason: "test", ...how } as Move;
  expect(await storage.catalog.commit({ move: given, audit: [] })).toMatchObject({ moved: [{ id }] });
}

/** Ids of live checkpoints of every kind, newest first. */
async function live(storage: StorageInUse): Promise<readonly CheckpointId[]> {
  const kinds = ["workflow", "project", "conversation", "aside"] as const;
  return idsOf((await storage.catalog.list({ filter: { kinds }, limit: 100, offset: 0 })).records);
}
