import type { SessionId, StorageInUse } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { append, appendOn } from "../append.ts";
import type { StorageHarness } from "../harness.ts";
import { withStore } from "../store-under-test.ts";
import { randomIds } from "../environment.ts";

const DAY = 24 * 60 * 60 * 1_000;

/** Tests usage, quotas, and the list of sessions that were not used for long. */
export function describeUsage(harness: StorageHarness): void {
  const onStore = (test: (storage: StorageInUse) => Promise<void>) => () => withStore(harness, ({ storage }) => test(storage));

  describe("usage", () => {
    it(
      "covers the whole store, with the trash listed separately",
      onStore(async (storage) => {
        const nothing = {
          sessions: 0,
          checkpoints: 0,
          damaged: 0,
          liveBytes: 0,
          trashed: 0,
          trashBytes: 0,
          pendingRemovals: 0,
          neededRemovals: 0,
        };
        expect(await storage.catalog.usage()).toEqual(nothing);
        const [one, other] = [randomIds.sessionId(), randomIds.sessionId()];
        const first = await append(storage, { sessionId: one, blobBytes: 100 });
        await append(storage, { sessionId: one, blobBytes: 20 });
        const third = await append(storage, { sessionId: other, blobBytes: 3 });
        expect(await storage.catalog.usage()).toEqual({ ...nothing, sessions: 2, checkpoints: 3, liveBytes: 123 });
        const trashing = {
          sessionId: other,
          checkpoints: [third.id],
          at: new Date(),
          reason: "request",
          from: "live",
          to: "trash",
        } as const;
        await storage.catalog.commit({ move: trashing, audit: [] });
        await append(storage, { sessionId: one, blobBytes: 7 }, { keepNewest: 2 });
        const after = {
          sessions: 1,
          checkpoints: 2,
          damaged: 0,
          liveBytes: 27,
          trashed: 1,
          trashBytes: 3,
          pendingRemovals: 1,
          neededRemovals: 0,
        };
        expect(await storage.catalog.usage()).toEqual(after);
        const form = { blobBytes: 10, baseId: null, keyId: null };
        const [head] = (await storage.catalog.list({ filter: { sessionId: one }, limit: 1, offset: 0 })).records;
        if (head !== undefined) await storage.catalog.replaceBlob(head, form, async () => {});
        expect(await storage.catalog.usage()).toEqual({ ...after, liveBytes: 30 });
        await storage.catalog.reclaim(undefined, (ref) => storage.blobs.remove(ref));
        await storage.catalog.commit({ move: { ...trashing, from: "trash", to: "live" }, audit: [] });
        const restored = { ...after, sessions: 2, checkpoints: 3, liveBytes: 33, trashed: 0, trashBytes: 0, pendingRemovals: 0 };
        expect(await storage.catalog.usage()).toEqual(restored);
        expect(first.blobBytes).toBe(100);
      }),
    );

    it(
      "reports needed removals, and the end of holds",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const base = await append(storage, { sessionId });
        const dependent = await append(storage, { sessionId });
        const last = await append(storage, { sessionId });
        await storage.catalog.commit({ edges: { add: [{ dependent: dependent.id, base: base.id }], drop: [] }, audit: [] });
        const move = { sessionId, at: new Date(), reason: "request", from: "live", to: "nowhere" } as const;
        await storage.catalog.commit({ move: { ...move, checkpoints: [base.id, last.id] }, audit: [] });
        const until = new Date(Date.now() + DAY);
        await storage.catalog.holdRemovals("one", new Date(Date.now() + DAY / 2));
        await storage.catalog.holdRemovals("other", until);
        expect(await storage.catalog.usage()).toMatchObject({ pendingRemovals: 2, neededRemovals: 1, removalsHeldUntil: until });
        await storage.catalog.holdRemovals("one", new Date(Date.now() - 1));
        await storage.catalog.releaseRemovals("other");
        expect((await storage.catalog.usage()).removalsHeldUntil).toBeUndefined();
      }),
    );

    it(
      "is limited by quotas of the session and the store, and returned with each append with a quota",
      onStore(async (storage) => {
        const [one, other] = [randomIds.sessionId(), randomIds.sessionId()];
        const quota = { session: 100, store: 150 };
        expect(await appendOn(storage, { sessionId: one, blobBytes: 60 }, { quota })).toMatchObject({ bytes: { session: 60, store: 60 } });
        const over = await appendOn(storage, { sessionId: one, blobBytes: 41 }, { quota });
        expect(over).toEqual({ status: "over-quota", over: "session", bytes: { session: 60, store: 60 } });
        expect(await appendOn(storage, { sessionId: one, blobBytes: 40 }, { quota })).toMatchObject({
          bytes: { session: 100, store: 100 },
        });
        const full = await appendOn(storage, { sessionId: other, blobBytes: 51 }, { quota });
        expect(full).toEqual({ status: "over-quota", over: "store", bytes: { session: 0, store: 100 } });
        expect(await storage.catalog.session(other)).toBeUndefined();
        await trashAll(storage, one);
        expect(await appendOn(storage, { sessionId: other, blobBytes: 51 }, { quota })).toMatchObject({ status: "over-quota" });
        expect(await appendOn(storage, { sessionId: one, blobBytes: 50 }, { quota })).toMatchObject({ bytes: { session: 50, store: 150 } });
      }),
    );
  });

  describe("sessions by use", () => {
    it(
      "come in pages, least recently used first, without empty ones",
      onStore(async (storage) => {
        const at = (day: number): Date => new Date(Date.UTC(2026, 0, 1) + day * DAY);
        const sessions = Array.from({ length: 5 }, () => randomIds.sessionId());
        for (const [index, sessionId] of sessions.entries()) {
          await append(storage, { sessionId, createdAt: at(9 - index), project: index === 1 ? "/other" : "/p" });
        }
        await trashAll(storage, sessions[2] as SessionId);
        const wanted = [4, 3, 1, 0].map((index) => sessions[index]);
        const first = await storage.catalog.sessions({ limit: 2 });
        await trashAll(storage, sessions[4] as SessionId);
        const second = await storage.catalog.sessions({ limit: 2, after: first.next });
        expect([first, second].map(({ sessions: page }) => page.map(({ id }) => id))).toEqual([wanted.slice(0, 2), wanted.slice(2)]);
        expect(second.next).toBeUndefined();
        expect(first.sessions[1]).toEqual(await storage.catalog.session(sessions[3] as SessionId));
        const idsOfPage = async (query: { project?: string; unusedSince?: Date }) =>
          (await storage.catalog.sessions({ limit: 10, ...query })).sessions.map(({ id }) => id);
        expect(await idsOfPage({ project: "/other" })).toEqual([sessions[1]]);
        expect(await idsOfPage({ unusedSince: at(8) })).toEqual([sessions[3], sessions[1]]);
      }),
    );

    it(
      "refuse an invalid cursor",
      onStore(async (storage) => {
        for (const after of ["", "x", "1 ", "-1 a"] as unknown as undefined[]) {
          await expect(storage.catalog.sessions({ limit: 1, after })).rejects.toMatchObject({ code: "INVALID_INPUT" });
          await expect(storage.catalog.trash({ limit: 1, after })).rejects.toMatchObject({ code: "INVALID_INPUT" });
        }
      }),
    );
  });
}

async function trashAll(storage: StorageInUse, sessionId: SessionId): Promise<void> {
  const { records } = await storage.catalog.list({ filter: { sessionId }, limit: 100, offset: 0 });
  const checkpoints = records.map(({ id }) => id);
  await storage.catalog.commit({
    move: { sessionId, checkpoints, at: new Date(), reason: "request", from: "live", to: "trash" },
    audit: [],
  });
}
