import type { AuditAction, ChangePage, ChangePosition, SessionId, StorageInUse } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { append } from "../append.ts";
import { randomIds } from "../environment.ts";
import type { StorageHarness } from "../harness.ts";
import { withStore } from "../store-under-test.ts";

const AT = new Date("2026-04-05T06:07:08.009Z");

/** Tests the list of changed sessions, which search follows from its last position. */
export function describeChanges(harness: StorageHarness): void {
  const onStore = (test: (storage: StorageInUse) => Promise<void>) => () => withStore(harness, ({ storage }) => test(storage));

  describe("changes", () => {
    it(
      "return the current position and no session without a start position",
      onStore(async (storage) => {
        expect(await storage.catalog.changes({ limit: 9 })).toMatchObject({ sessions: [], hasMore: false });
        await log(storage, ["save", randomIds.sessionId()]);
        const now = await storage.catalog.changes({ limit: 9 });
        expect(now).toMatchObject({ sessions: [], hasMore: false });
        const nothing = { sessions: [], position: now?.position, hasMore: false, rows: 0 };
        expect(await storage.catalog.changes({ after: now?.position, limit: 9 })).toEqual(nothing);
      }),
    );

    it(
      "name each session once, and tell whether checkpoints were only added at its end",
      onStore(async (storage) => {
        const [extended, changed, untouched] = [randomIds.sessionId(), randomIds.sessionId(), randomIds.sessionId()];
        const before = await positionOf(storage);
        await log(
          storage,
          ["save", extended],
          ["save", changed],
          ["load", untouched],
          ["trash", changed],
          ["save", changed],
          ["tag", extended],
        );
        const { sessions, hasMore, rows } = await changesAfter(storage, before, 9);
        expect(new Map(sessions.map(({ sessionId, isExtended }) => [sessionId, isExtended]))).toEqual(
          new Map([
            [extended, true],
            [changed, false],
          ]),
        );
        expect({ count: sessions.length, hasMore, rows }).toEqual({ count: 2, hasMore: false, rows: 6 });
      }),
    );

    it(
      "include moves, which write their own audit rows",
      onStore(async (storage) => {
        const { id, sessionId } = await append(storage, { sessionId: randomIds.sessionId() });
        const before = await positionOf(storage);
        const move = { sessionId, checkpoints: [id], at: AT, reason: "test", from: "live", to: "trash" } as const;
        await storage.catalog.commit({ move, audit: [] });
        expect((await changesAfter(storage, before, 9)).sessions).toEqual([{ sessionId, isExtended: false }]);
      }),
    );

    it(
      "come in pages that continue despite later saves",
      onStore(async (storage) => {
        const sessions = Array.from({ length: 4 }, () => randomIds.sessionId()) as [SessionId, SessionId, SessionId, SessionId];
        const before = await positionOf(storage);
        for (const sessionId of sessions.slice(0, 3)) await log(storage, ["save", sessionId]);
        const first = await changesAfter(storage, before, 2);
        expect(first).toMatchObject({ sessions: extended(sessions.slice(0, 2)), hasMore: true, rows: 2 });
        const second = await changesAfter(storage, first.position, 1);
        expect(second).toMatchObject({ sessions: extended(sessions.slice(2, 3)), hasMore: false, rows: 1 });
        await log(storage, ["save", sessions[3]]);
        expect(await changesAfter(storage, second.position, 9)).toMatchObject({ sessions: extended(sessions.slice(3)), rows: 1 });
      }),
    );

    it(
      "are unknown since a position from before a rebuild",
      onStore(async (storage) => {
        await log(storage, ["save", randomIds.sessionId()], ["save", randomIds.sessionId()]);
        const before = await positionOf(storage);
        const audit = { at: AT, action: "rebuild", sessionId: undefined, checkpointId: undefined, agentId: undefined } as const;
        await storage.locking.exclusively(() => storage.recovery.replaceAll([], [], audit));
        expect(await storage.catalog.changes({ after: before, limit: 9 })).toBeUndefined();
      }),
    );
  });
}

/** Commits one audit row for each entry. */
async function log(storage: StorageInUse, ...rows: readonly (readonly [AuditAction, SessionId])[]): Promise<void> {
  const audit = rows.map(([action, sessionId]) => ({ at: AT, action, sessionId, checkpointId: undefined, agentId: undefined }));
  await storage.catalog.commit({ audit });
}

async function positionOf(storage: StorageInUse): Promise<ChangePosition> {
  return known(await storage.catalog.changes({ limit: 1 })).position;
}

async function changesAfter(storage: StorageInUse, after: ChangePosition, limit: number): Promise<ChangePage> {
  return known(await storage.catalog.changes({ after, limit }));
}

function known(page: ChangePage | undefined): ChangePage {
  if (page === undefined) throw new Error("The catalog does not know a position that it gave.");
  return page;
}

function extended(sessions: readonly SessionId[]) {
  return sessions.map((sessionId) => ({ sessionId, isExtended: true }));
}
