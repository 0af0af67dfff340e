import { type CheckpointId, KEEP_TAG, type Move, type SessionId, type StorageInUse } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { append, appendOn, idsOf } from "../append.ts";
import type { StorageHarness } from "../harness.ts";
import { provided, withStore } from "../store-under-test.ts";
import { randomIds } from "../environment.ts";

const AT = new Date("2027-03-04T05:06:07.008Z");

/** Tests moves of checkpoints into the trash, back, and out of the store. */
export function describeMoves(harness: StorageHarness): void {
  const onStore = (test: (storage: StorageInUse) => Promise<void>) => () => withStore(harness, ({ storage }) => test(storage));

  describe("moves", () => {
    it(
      "hide checkpoints, and keep their blobs, while they are in the trash",
      onStore(async (storage) => {
        const { sessionId, records } = await aSession(storage, 3);
        const [first, , last] = records;
        const outcome = await move(storage, { sessionId, checkpoints: idsOf([first, last]), from: "live", to: "trash" });
        expect(outcome).toEqual([first, last]);
        expect(await live(storage, sessionId)).toEqual([records[1].id]);
        expect(await storage.catalog.find(first.id)).toBeUndefined();
        expect((await storage.catalog.head(sessionId))?.id).toBe(records[1].id);
        expect(await storage.catalog.session(sessionId)).toMatchObject({ checkpointCount: 1, totalSizeBytes: records[1].blobBytes });
        expect(await reclaim(storage)).toEqual([]);
        expect(await storage.catalog.reclaim([first.blob], (ref) => storage.blobs.remove(ref))).toEqual([]);
        const { entries, next } = await storage.catalog.trash({ limit: 10 });
        expect(new Map(entries.map(({ record, trashedAt }) => [record, trashedAt]))).toEqual(
          new Map([first, last].map((each) => [each, AT])),
        );
        expect(next).toBeUndefined();
      }),
    );

    it(
      "bring checkpoints back to the place they had",
      onStore(async (storage) => {
        const { sessionId, records } = await aSession(storage, 3);
        const ids = idsOf(records);
        await move(storage, { sessionId, checkpoints: ids, from: "live", to: "trash" });
        expect(await live(storage, sessionId)).toEqual([]);
        const other = await append(storage, { sessionId: randomIds.sessionId(), tags: ["t"] });
        const later = await append(storage, { sessionId, tags: ["t"] });
        expect(later.sequence).toBe(4);
        expect(idsOf(await move(storage, { sessionId, checkpoints: ids, from: "trash", to: "live" }))).toEqual(ids);
        expect(await live(storage, sessionId)).toEqual([later.id, ...ids.toReversed()]);
        expect(await storage.catalog.find(records[0].id)).toEqual(records[0]);
        expect((await storage.catalog.head(sessionId))?.id).toBe(later.id);
        const everywhere = await storage.catalog.list({ filter: {}, limit: 10, offset: 0 });
        expect(everywhere.total).toBe(5);
        expect(new Set(idsOf(everywhere.records))).toEqual(new Set([...ids, later.id, other.id]));
        const tagged = await storage.catalog.list({ filter: { tags: ["a"] }, limit: 10, offset: 0 });
        expect(idsOf(tagged.records).toSorted()).toEqual(ids.toSorted());
        expect((await storage.catalog.trash({ limit: 10 })).entries).toEqual([]);
      }),
    );

    it.each(["live", "trash"] as const)("from %s to nowhere leave blobs that are to be removed", async (from) => {
      await withStore(harness, async ({ storage }) => {
        const { sessionId, records } = await aSession(storage, 2);
        const [gone, kept] = records;
        if (from === "trash") await move(storage, { sessionId, checkpoints: [gone.id], from: "live", to: "trash" });
        expect(idsOf(await move(storage, { sessionId, checkpoints: [gone.id], from, to: "nowhere" }))).toEqual([gone.id]);
        expect(await storage.catalog.find(gone.id)).toBeUndefined();
        expect((await storage.catalog.trash({ limit: 10 })).entries).toEqual([]);
        expect(await reclaim(storage)).toEqual([gone.blob]);
        expect(await storage.blobs.get(kept.blob)).toBeDefined();
      });
    });

    it(
      "keep the blob of a removed checkpoint while it is the base of one in the trash",
      onStore(async (storage) => {
        const { sessionId, records } = await aSession(storage, 3);
        const [dependent, base] = records;
        await storage.catalog.commit({ edges: { add: [{ dependent: dependent.id, base: base.id }], drop: [] }, audit: [] });
        await move(storage, { sessionId, checkpoints: [dependent.id], from: "live", to: "trash" });
        await move(storage, { sessionId, checkpoints: [base.id], from: "live", to: "nowhere" });
        expect(await reclaim(storage)).toEqual([]);
        await move(storage, { sessionId, checkpoints: [dependent.id], from: "trash", to: "nowhere" });
        expect((await reclaim(storage)).toSorted()).toEqual([base.blob, dependent.blob].toSorted());
      }),
    );

    it(
      "skip checkpoints that are elsewhere or belong to another session",
      onStore(async (storage) => {
        const { sessionId, records } = await aSession(storage, 1);
        const stranger = await append(storage, { sessionId: randomIds.sessionId() });
        const checkpoints = [records[0].id, stranger.id, randomIds.checkpointId()];
        expect(await move(storage, { sessionId, checkpoints, from: "trash", to: "live" })).toEqual([]);
        expect(idsOf(await move(storage, { sessionId, checkpoints, from: "live", to: "trash" }))).toEqual([records[0].id]);
        expect(await move(storage, { sessionId: randomIds.sessionId(), checkpoints, from: "live", to: "trash" })).toEqual([]);
        expect(await storage.catalog.find(stranger.id)).toEqual(stranger);
      }),
    );

    it(
      "are cancelled when the session was used after the plan",
      onStore(async (storage) => {
        const { sessionId, records } = await aSession(storage, 1);
        const planned = { sessionId, checkpoints: idsOf(records), from: "live", to: "trash", unlessUsedSince: AT } as const;
        const used = new Date(AT.getTime() + 1);
        await storage.catalog.commit({ accesses: [{ checkpointId: records[0].id, at: used }], audit: [] });
        expect(await move(storage, planned)).toEqual([]);
        expect(idsOf(await move(storage, { ...planned, unlessUsedSince: used }))).toEqual(idsOf(records));
      }),
    );

    it(
      "are cancelled, or come first, when the session is used at the same time",
      onStore(async (storage) => {
        for (const usesFirst of [true, false, true, false]) {
          const { sessionId, records } = await aSession(storage, 1);
          const used = new Date(AT.getTime() + 1);
          const use = () => storage.catalog.commit({ accesses: [{ checkpointId: records[0].id, at: used }], audit: [] });
          const using = usesFirst ? use() : undefined;
          const moving = move(storage, { sessionId, checkpoints: idsOf(records), from: "live", to: "trash", unlessUsedSince: AT });
          await (using ?? use());
          const moved = await moving;
          const isUsed = (await storage.catalog.session(sessionId))?.lastAccessedAt.getTime() === used.getTime();
          expect({ isUsed, moved }).toEqual({ isUsed, moved: isUsed ? [] : records });
        }
      }),
    );

    it(
      "reserve the ids of checkpoints in the trash",
      onStore(async (storage) => {
        const { sessionId, records } = await aSession(storage, 2);
        await move(storage, { sessionId, checkpoints: [records[0].id], from: "live", to: "trash" });
        const outcome = await appendOn(storage, { sessionId, id: records[0].id });
        expect(outcome).toMatchObject({ status: "in-trash", record: { id: records[0].id } });
      }),
    );

    it(
      "list the trash in pages, oldest entries first, despite concurrent removals",
      onStore(async (storage) => {
        const { sessionId, records } = await aSession(storage, 5);
        const ids = idsOf(records).toReversed();
        for (const [index, id] of ids.entries()) {
          await move(storage, { sessionId, checkpoints: [id], from: "live", to: "trash", at: new Date(AT.getTime() + index) });
        }
        const first = await storage.catalog.trash({ limit: 2 });
        await move(storage, { sessionId, checkpoints: [ids[0] as CheckpointId], from: "trash", to: "nowhere" });
        const second = await storage.catalog.trash({ limit: 2, sessionId, after: first.next });
        const third = await storage.catalog.trash({ limit: 2, after: second.next });
        expect([first, second, third].map(({ entries }) => idsOf(entries.map(({ record }) => record)))).toEqual([
          ids.slice(0, 2),
          ids.slice(2, 4),
          ids.slice(4),
        ]);
        expect(third.next).toBeUndefined();
        expect((await storage.catalog.trash({ limit: 9, sessionId: randomIds.sessionId() })).entries).toEqual([]);
      }),
    );

    it(
      "change nothing else of the session, and keep the rest of their commit",
      onStore(async (storage) => {
        const { sessionId, records } = await aSession(storage, 2);
        await storage.catalog.commit({ tags: { sessionId, add: ["tag"], remove: [] }, audit: [] });
        await storage.catalog.commit({ pins: { sessionId, pin: ["pin"], release: [] }, audit: [] });
        const before = await storage.catalog.session(sessionId);
        expect(before).toMatchObject({ tags: ["tag"], pins: ["pin"] });
        const there = { sessionId, checkpoints: [records[0].id], at: AT, reason: "test", from: "live", to: "trash" } as const;
        const event = { at: AT, action: "export", sessionId, checkpointId: undefined, agentId: "agent" } as const;
        await storage.catalog.commit({ move: there, audit: [event] });
        await move(storage, { ...there, from: "trash", to: "live" });
        expect(await storage.catalog.session(sessionId)).toEqual(before);
        expect(await storage.catalog.auditLog({ actions: ["export"] })).toMatchObject([event]);
      }),
    );

    it(
      "are recorded in the audit log, each with its reason",
      onStore(async (storage) => {
        const { sessionId, records } = await aSession(storage, 1);
        const checkpoints = idsOf(records);
        await move(storage, { sessionId, checkpoints, from: "live", to: "trash", reason: "retention" });
        await move(storage, { sessionId, checkpoints, from: "trash", to: "live", reason: "request", agentId: "agent" });
        await move(storage, { sessionId, checkpoints, from: "live", to: "nowhere", reason: "quota" });
        const row = { at: AT, sessionId, checkpointId: checkpoints[0] };
        expect(await storage.catalog.auditLog({ first: "oldest" })).toMatchObject([
          { ...row, action: "trash", reason: "retention", agentId: undefined },
          { ...row, action: "restore", reason: "request", agentId: "agent" },
          { ...row, action: "delete", reason: "quota", agentId: undefined },
        ]);
      }),
    );

    provided(harness.capabilities.persistent, "closing forgets everything", () => {
      it("last", () =>
        withStore(harness, async (store) => {
          const { sessionId, records } = await aSession(store.storage, 2);
          await move(store.storage, { sessionId, checkpoints: [records[1].id], from: "live", to: "trash" });
          await store.reopen();
          const { entries } = await store.storage.catalog.trash({ limit: 10 });
          expect(entries).toEqual([{ record: records[1], trashedAt: AT }]);
          expect(await live(store.storage, sessionId)).toEqual([records[0].id]);
        }));
    });
  });

  describe("what is tagged keep", () => {
    it(
      "is spared by keepNewest, and what is appended too",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const kept = await append(storage, { sessionId, tags: [KEEP_TAG] });
        const second = await append(storage, { sessionId });
        const third = await append(storage, { sessionId }, { keepNewest: 2 });
        expect(await live(storage, sessionId)).toEqual([third.id, kept.id]);
        const fourth = await append(storage, { sessionId }, { keepNewest: 1 });
        expect(await live(storage, sessionId)).toEqual([fourth.id, kept.id]);
        expect(await reclaim(storage)).toHaveLength(2);
        expect(await storage.catalog.find(second.id)).toBeUndefined();
      }),
    );

    it(
      "may be a session, whose tags come and go",
      onStore(async (storage) => {
        const { sessionId } = await aSession(storage, 1);
        await storage.catalog.commit({ tags: { sessionId, add: [KEEP_TAG, "other"], remove: [] }, audit: [] });
        await storage.catalog.commit({ tags: { sessionId, add: [KEEP_TAG], remove: ["other", "unknown"] }, audit: [] });
        expect((await storage.catalog.session(sessionId))?.tags).toEqual([KEEP_TAG]);
        await storage.catalog.commit({ tags: { sessionId: randomIds.sessionId(), add: ["x"], remove: [] }, audit: [] });
      }),
    );
  });
}

type GivenMove = Pick<Move, "sessionId" | "checkpoints" | "from" | "to"> & Partial<Move>;

async function move(storage: StorageInUse, given: GivenMove) {
  const outcome = await storage.catalog.commit({ move: { at: AT, reason: "request", ...given }, audit: [] });
  if (outcome.status !== "committed") throw new Error(`A move was answered ${outcome.status}.`);
  return outcome.moved;
}

async function live(storage: StorageInUse, sessionId: SessionId): Promise<CheckpointId[]> {
  return idsOf((await storage.catalog.list({ filter: { sessionId }, limit: 100, offset: 0 })).records);
}

function reclaim(storage: StorageInUse): ReturnType<StorageInUse["catalog"]["reclaim"]> {
  return storage.catalog.reclaim(undefined, (ref) => storage.blobs.remove(ref));
}

async function aSession(storage: StorageInUse, checkpoints: number) {
  const sessionId = randomIds.sessionId();
  const records = [];
  for (let count = 0; count < checkpoints; count++) records.push(await append(storage, { sessionId, tags: ["a"] }));
  type Records = typeof records;
  return { sessionId, records: records as unknown as readonly [Records[number], Records[number], Records[number]] };
}
