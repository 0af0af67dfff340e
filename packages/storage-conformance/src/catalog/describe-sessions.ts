import { type CheckpointId, KEEP_TAG, type SessionId, type StorageInUse } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { append, appendOn, idsOf } from "../append.ts";
import type { StorageHarness } from "../harness.ts";
import { withStore } from "../store-under-test.ts";
import { randomIds } from "../environment.ts";

const LATER = new Date("2027-03-04T05:06:07.008Z");

/** Tests sessions, their pins, and the removal of their oldest checkpoints. */
export function describeSessions(harness: StorageHarness): void {
  const onStore = (test: (storage: StorageInUse) => Promise<void>) => () => withStore(harness, ({ storage }) => test(storage));

  describe("sessions", () => {
    it(
      "do not exist before something is saved to them",
      onStore(async ({ catalog }) => expect(await catalog.session(randomIds.sessionId())).toBeUndefined()),
    );

    it(
      "begin with their first checkpoint, and count and weigh what they hold",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const first = await append(storage, { sessionId });
        const second = await append(storage, { sessionId, createdAt: LATER });
        const aside = await append(storage, { sessionId, createdAt: LATER, kind: "aside" });
        await append(storage, { sessionId: randomIds.sessionId() });
        expect(await storage.catalog.session(sessionId)).toEqual({
          id: sessionId,
          createdAt: first.createdAt,
          lastAccessedAt: LATER,
          tags: [],
          pins: [],
          checkpointCount: 2,
          asideCount: 1,
          damagedCount: 0,
          totalSizeBytes: first.blobBytes + second.blobBytes + aside.blobBytes,
        });
      }),
    );

    it.each(["__proto__", "constructor", "0", "-"])("may be called %s", async (name) => {
      await withStore(harness, async ({ storage }) => {
        const sessionId = name as SessionId;
        expect(await storage.catalog.session(sessionId)).toBeUndefined();
        const first = await append(storage, { sessionId });
        await append(storage, { sessionId, id: `${name}-` as CheckpointId }, { expectedHead: first.id });
        expect(await storage.catalog.session(sessionId)).toMatchObject({ id: sessionId, checkpointCount: 2 });
        expect((await storage.catalog.head(sessionId))?.sequence).toBe(2);
      });
    });

    it(
      "begin as the append that brings them into being says, and keep to that",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const session = { createdAt: new Date("2020-01-01T00:00:00.000Z"), tags: ["t", "__proto__"], pins: ["plan", "\ud800"] };
        await append(storage, { sessionId }, { session });
        expect(await storage.catalog.session(sessionId)).toMatchObject(session);
        await append(storage, { sessionId }, { session: { createdAt: LATER, tags: [], pins: ["other"] } });
        expect(await storage.catalog.session(sessionId)).toMatchObject(session);
      }),
    );

    it(
      "with ids that differ only in case are two",
      onStore(async (storage) => {
        const [lower, upper] = ["session-a" as SessionId, "Session-A" as SessionId];
        const first = await append(storage, { sessionId: lower });
        const second = await append(storage, { sessionId: upper });
        expect((await storage.catalog.head(lower))?.id).toBe(first.id);
        expect((await storage.catalog.head(upper))?.id).toBe(second.id);
      }),
    );
  });

  describe("accesses", () => {
    it(
      "are remembered by the checkpoint and its session",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const loaded = await append(storage, { sessionId });
        const other = await append(storage, { sessionId });
        await storage.catalog.commit({ tags: { sessionId, add: ["tag"], remove: [] }, audit: [] });
        await storage.catalog.commit({ pins: { sessionId, pin: ["pin"], release: [] }, audit: [] });
        const session = await storage.catalog.session(sessionId);
        expect(session).toMatchObject({ tags: ["tag"], pins: ["pin"] });
        await storage.catalog.commit({ accesses: [{ checkpointId: loaded.id, at: LATER }], audit: [] });
        expect((await storage.catalog.find(loaded.id))?.lastAccessedAt).toEqual(LATER);
        expect((await storage.catalog.find(other.id))?.lastAccessedAt).toEqual(other.lastAccessedAt);
        // All other fields stay.
        expect(await storage.catalog.session(sessionId)).toEqual({ ...session, lastAccessedAt: LATER });
      }),
    );

    it(
      "of unknown checkpoints are passed over",
      onStore(async (storage) => {
        const known = await append(storage, { sessionId: randomIds.sessionId() });
        const accesses = [randomIds.checkpointId(), known.id].map((checkpointId) => ({ checkpointId, at: LATER }));
        expect((await storage.catalog.commit({ accesses, audit: [] })).status).toBe("committed");
        expect((await storage.catalog.find(known.id))?.lastAccessedAt).toEqual(LATER);
      }),
    );
  });

  describe("pins", () => {
    const onSession = (
      test: (storage: StorageInUse, change: PinChange, pins: () => Promise<readonly string[] | undefined>) => Promise<void>,
    ) =>
      onStore(async (storage) => {
        const { sessionId } = await append(storage, { sessionId: randomIds.sessionId() });
        const change: PinChange = async (pin, release = []) => {
          expect((await storage.catalog.commit({ pins: { sessionId, pin, release }, audit: [] })).status).toBe("committed");
        };
        await test(storage, change, async () => (await storage.catalog.session(sessionId))?.pins);
      });

    it(
      "stay in the order they were made",
      onSession(async (_, change, pins) => {
        await change(["plan"]);
        await change(["decisions", "a"]);
        expect(await pins()).toEqual(["plan", "decisions", "a"]);
      }),
    );

    it(
      "exist once, and keep their place when they are repeated",
      onSession(async (_, change, pins) => {
        await change(["plan", "decisions"]);
        await change(["plan"]);
        expect(await pins()).toEqual(["plan", "decisions"]);
      }),
    );

    it(
      "are released, and releasing what is not pinned changes nothing",
      onSession(async (_, change, pins) => {
        await change(["plan", "decisions", "files"]);
        await change(["new"], ["decisions", "unknown"]);
        expect(await pins()).toEqual(["plan", "files", "new"]);
      }),
    );

    it(
      "hold any key exactly",
      onSession(async (_, change, pins) => {
        await change(AWKWARD_KEYS);
        expect(await pins()).toEqual(AWKWARD_KEYS);
        await change([], AWKWARD_KEYS.slice(1));
        expect(await pins()).toEqual(AWKWARD_KEYS.slice(0, 1));
      }),
    );

    it(
      "belong to one session",
      onStore(async (storage) => {
        const { sessionId } = await append(storage, { sessionId: randomIds.sessionId() });
        const other = await append(storage, { sessionId: randomIds.sessionId() });
        await storage.catalog.commit({ pins: { sessionId, pin: ["plan"], release: [] }, audit: [] });
        expect((await storage.catalog.session(sessionId))?.pins).toEqual(["plan"]);
        expect((await storage.catalog.session(other.sessionId))?.pins).toEqual([]);
      }),
    );
  });

  describe("keepNewest", () => {
    it(
      "removes the oldest checkpoints beyond it, and tells which",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const records = [];
        for (let count = 0; count < 5; count++) records.push(await append(storage, { sessionId }));
        const outcome = await appendOn(storage, { sessionId }, { keepNewest: 3 });
        expect(outcome.status).toBe("committed");
        if (outcome.status !== "committed") return;
        expect(idsOf(outcome.removed).sort()).toEqual(idsOf(records.slice(0, 3)).sort());
        for (const { id } of outcome.removed) expect(await storage.catalog.find(id)).toBeUndefined();
        for (const { id } of records.slice(3)) expect(await storage.catalog.find(id)).toBeDefined();
        expect(outcome.record?.sequence).toBe(6);
        expect(await storage.catalog.session(sessionId)).toMatchObject({ checkpointCount: 3 });
      }),
    );

    it(
      "counts and removes workflow checkpoints only",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        const kept = [
          await append(storage, { sessionId, kind: "project" }),
          await append(storage, { sessionId, kind: "conversation" }),
          await append(storage, { sessionId, kind: "aside" }),
        ];
        const oldest = await append(storage, { sessionId });
        const second = await append(storage, { sessionId }, { keepNewest: 2 });
        const third = await append(storage, { sessionId }, { keepNewest: 2 });
        expect(await storage.catalog.find(oldest.id)).toBeUndefined();
        for (const { id } of [...kept, second, third]) expect(await storage.catalog.find(id)).toBeDefined();
      }),
    );

    it(
      "removes nothing of a session that is tagged keep, until that is taken off",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        await append(storage, { sessionId });
        await storage.catalog.commit({ tags: { sessionId, add: [KEEP_TAG], remove: [] }, audit: [] });
        await append(storage, { sessionId }, { keepNewest: 1 });
        expect(await storage.catalog.session(sessionId)).toMatchObject({ checkpointCount: 2 });
        await storage.catalog.commit({ tags: { sessionId, add: [], remove: [KEEP_TAG] }, audit: [] });
        await append(storage, { sessionId }, { keepNewest: 1 });
        expect(await storage.catalog.session(sessionId)).toMatchObject({ checkpointCount: 1 });
      }),
    );

    it(
      "leaves other sessions alone",
      onStore(async (storage) => {
        const other = await append(storage, { sessionId: randomIds.sessionId() });
        const sessionId = randomIds.sessionId();
        await append(storage, { sessionId });
        await append(storage, { sessionId }, { keepNewest: 1 });
        expect(await storage.catalog.find(other.id)).toBeDefined();
        expect(await storage.catalog.session(sessionId)).toMatchObject({ checkpointCount: 1 });
      }),
    );
  });
}

type PinChange = (pin: readonly string[], release?: readonly string[]) => Promise<void>;

const AWKWARD_KEYS = ["__proto__", "a/b~c", "", "10", "2", " ", "ключ", "😀", "\ud800", "\ud801", "\u0000", 'quo"te', "x".repeat(1_000)];
