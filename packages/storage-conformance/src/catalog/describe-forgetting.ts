import { KEEP_TAG, type Forgetting, type SessionId, type StorageInUse } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { append, appendOn } from "../append.ts";
import { randomIds } from "../environment.ts";
import type { StorageHarness } from "../harness.ts";
import { withStore } from "../store-under-test.ts";

const AT = new Date("2027-03-04T05:06:07.008Z");

/** Tests that empty sessions are forgotten, and that the audit log tells it. */
export function describeForgetting(harness: StorageHarness): void {
  const onStore = (test: (storage: StorageInUse) => Promise<void>) => () => withStore(harness, ({ storage }) => test(storage));

  describe("forgetting", () => {
    it(
      "removes an empty session with its facts, and records it in the audit log",
      onStore(async (storage) => {
        const sessionId = await emptied(storage);
        await storage.catalog.commit({ pins: { sessionId, pin: ["plan"], release: [] }, audit: [] });
        expect(await emptyOnes(storage)).toEqual([sessionId]);
        expect(await forget(storage, [sessionId])).toEqual([sessionId]);
        expect(await storage.catalog.session(sessionId)).toBeUndefined();
        expect(await emptyOnes(storage)).toEqual([]);
        expect(await factsOf(storage, sessionId)).toBeUndefined();
        const told = await storage.catalog.auditLog({ actions: ["delete"], limit: 1 });
        expect(told).toMatchObject([{ at: AT, action: "delete", sessionId, checkpointId: undefined, agentId: undefined, reason: "empty" }]);
        expect(await forget(storage, [sessionId])).toEqual([]);
      }),
    );

    it(
      "lets the session start again, also after a rebuild",
      onStore(async (storage) => {
        const sessionId = await emptied(storage);
        await storage.catalog.commit({ pins: { sessionId, pin: ["old"], release: [] }, audit: [] });
        await forget(storage, [sessionId]);
        const record = await append(storage, { sessionId });
        expect(record.sequence).toBe(1);
        expect(await storage.catalog.session(sessionId)).toMatchObject({ pins: [], checkpointCount: 1 });
        expect((await factsOf(storage, sessionId))?.pins ?? []).toEqual([]);
        expect(await forget(storage, [sessionId])).toEqual([]);
      }),
    );

    it(
      "skips sessions with a checkpoint, live or in the trash, or with a pending removal",
      onStore(async (storage) => {
        const [live, trashed, pending] = [randomIds.sessionId(), randomIds.sessionId(), randomIds.sessionId()];
        await append(storage, { sessionId: live });
        for (const [sessionId, to] of [
          [trashed, "trash"],
          [pending, "nowhere"],
        ] as const) {
          const { id } = await append(storage, { sessionId });
          const move = { sessionId, checkpoints: [id], at: AT, reason: "request", from: "live", to } as const;
          await storage.catalog.commit({ move, audit: [] });
        }
        expect(await emptyOnes(storage)).toEqual([]);
        expect(await forget(storage, [live, trashed, pending, randomIds.sessionId()])).toEqual([]);
        for (const id of [live, trashed, pending]) expect(await storage.catalog.session(id)).toBeDefined();
        await storage.catalog.reclaim(undefined, (ref) => storage.blobs.remove(ref));
        expect(await forget(storage, [live, trashed, pending])).toEqual([pending]);
      }),
    );

    it(
      "skips sessions that are tagged keep or were used since",
      onStore(async (storage) => {
        const [kept, used] = [await emptied(storage), await emptied(storage)];
        await storage.catalog.commit({ tags: { sessionId: kept, add: [KEEP_TAG], remove: [] }, audit: [] });
        expect(await emptyOnes(storage)).toEqual([used]);
        const lastUse = (await storage.catalog.session(used))?.lastAccessedAt ?? AT;
        const before = new Date(lastUse.getTime() - 1);
        expect(await emptyOnes(storage, before)).toEqual([]);
        expect(await forget(storage, [kept, used], before)).toEqual([]);
        expect(await forget(storage, [kept, used], lastUse)).toEqual([used]);
      }),
    );

    it(
      "and a concurrent first save leave a session with the save and its facts",
      onStore(async (storage) => {
        for (let round = 0; round < 10; round++) {
          const sessionId = await emptied(storage);
          const session = { createdAt: AT, tags: ["new"], pins: [] };
          const [, saved] = await Promise.all([forget(storage, [sessionId]), appendOn(storage, { sessionId }, { session })]);
          expect(saved.status).toBe("committed");
          expect(await storage.catalog.session(sessionId)).toMatchObject({ checkpointCount: 1 });
          expect(await forget(storage, [sessionId])).toEqual([]);
          const facts = await factsOf(storage, sessionId);
          expect(facts?.tags ?? []).toEqual((await storage.catalog.session(sessionId))?.tags);
        }
      }),
    );
  });

  describe("the audit log", () => {
    it(
      "is told the newest first, by action and by time, and no more than asked for",
      onStore(async (storage) => {
        const later = new Date(AT.getTime() + 1);
        const rows = [
          ["export", AT],
          ["backup", AT],
          ["export", later],
          ["export", AT],
        ] as const;
        for (const [action, at] of rows) {
          const row = { at, action, sessionId: undefined, checkpointId: undefined, agentId: "agent" } as const;
          await storage.catalog.commit({ audit: [row] });
        }
        const log = async (query: Parameters<typeof storage.catalog.auditLog>[0]) =>
          (await storage.catalog.auditLog(query)).map(({ action, at, agentId }) => [action, at, agentId]);
        expect(await log({ actions: ["export", "backup"], limit: 2 })).toEqual([
          ["export", AT, "agent"],
          ["export", later, "agent"],
        ]);
        expect(await log({ actions: ["export"], at: AT })).toEqual([
          ["export", AT, "agent"],
          ["export", AT, "agent"],
        ]);
        expect(await log({ actions: ["backup"] })).toEqual([["backup", AT, "agent"]]);
        expect(await log({ actions: ["rebuild"] })).toEqual([]);
      }),
    );
  });
}

/** Creates a session whose only checkpoint was removed for good. */
async function emptied(storage: StorageInUse): Promise<SessionId> {
  const sessionId = randomIds.sessionId();
  const { id } = await append(storage, { sessionId });
  await storage.catalog.commit({
    move: { sessionId, checkpoints: [id], at: AT, reason: "request", from: "live", to: "nowhere" },
    audit: [],
  });
  await storage.catalog.reclaim(undefined, (ref) => storage.blobs.remove(ref));
  return sessionId;
}

async function emptyOnes(storage: StorageInUse, unusedSince?: Date): Promise<readonly SessionId[]> {
  return (await storage.catalog.sessions({ empty: true, unusedSince, limit: 100 })).sessions.map(({ id }) => id);
}

async function forget(storage: StorageInUse, sessions: Forgetting["sessions"], unusedSince = AT): Promise<readonly SessionId[]> {
  const outcome = await storage.catalog.commit({ forget: { sessions, unusedSince, at: AT }, audit: [] });
  if (outcome.status !== "committed") throw new Error(`It was ${outcome.status}.`);
  return outcome.forgotten;
}

async function factsOf(storage: StorageInUse, wanted: SessionId) {
  for await (const facts of storage.recovery.sessionFacts()) if (facts.sessionId === wanted) return facts;
  return undefined;
}
