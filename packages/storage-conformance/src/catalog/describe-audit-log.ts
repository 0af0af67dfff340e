import {
  CHAIN_START,
  type CheckpointId,
  type LoggedEvent,
  linked,
  placeOf,
  type SessionId,
  type StorageInUse,
  verifyAudit,
} from "@workrail/core";
import { describe, expect, it } from "vitest";
import { append, appendOn, idsOf } from "../append.ts";
import { randomIds, sha256 } from "../environment.ts";
import type { StorageHarness } from "../harness.ts";
import { provided, withStore } from "../store-under-test.ts";

const DAY_MS = 86_400_000;

/** Tests the audit log: all rows are chained, and the oldest rows can be cut off. */
export function describeAuditLog(harness: StorageHarness): void {
  const onStore = (test: (storage: StorageInUse) => Promise<void>) => () => withStore(harness, ({ storage }) => test(storage));

  describe("the audit log", () => {
    it(
      "numbers its rows from 1, and chains each to the one before, for every kind of write",
      onStore(async (storage) => {
        const sessionId = await useAll(storage);
        const rows = await rowsOf(storage);
        expect(rows.map(({ action }) => action)).toEqual(["prune", "pin", "quarantine", "trash", "restore", "delete"]);
        expect(rows.every((row) => row.sessionId === sessionId)).toBe(true);
        const report = await verifyAudit(storage);
        expect(report).toMatchObject({ rows: 6, unchained: 0, findings: [], head: placeOf(last(rows)) });
        expect(report.isKeyed ? rows : chainOf(rows)).toEqual(rows);
      }),
    );

    it(
      "chains any agent name",
      onStore(async (storage) => {
        for (const agentId of ["ä 😀", 'a "quote" \\ and\nlines', "lone \ud800", "\u0001"]) {
          await storage.catalog.commit({ audit: [{ ...event(new Date(0)), agentId, reason: agentId }] });
        }
        expect(await verifyAudit(storage)).toMatchObject({ rows: 4, findings: [] });
      }),
    );

    it(
      "has no row of a commit that was declined",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        await write(storage, [0]);
        expect((await appendOn(storage, { sessionId }, { expectedHead: "other" as CheckpointId })).status).toBe("conflict");
        expect(await verifyAudit(storage)).toMatchObject({ rows: 1, findings: [] });
      }),
    );

    it(
      "returns rows by action, session and time, from either end, and continues after a row",
      onStore(async (storage) => {
        const [one, other] = [randomIds.sessionId(), randomIds.sessionId()];
        const audit = [0, 1, 2, 3, 4, 5].map((day) => ({
          ...event(new Date(day * DAY_MS), day % 2 === 0 ? "export" : "load"),
          sessionId: day < 3 ? one : other,
        }));
        await storage.catalog.commit({ audit });
        const numbers = async (query: Parameters<typeof storage.catalog.auditLog>[0]): Promise<readonly number[]> =>
          (await storage.catalog.auditLog(query)).map(({ number }) => number);
        expect(await numbers({})).toEqual([6, 5, 4, 3, 2, 1]);
        expect(await numbers({ first: "oldest", limit: 2 })).toEqual([1, 2]);
        expect(await numbers({ first: "oldest", after: 2, limit: 2 })).toEqual([3, 4]);
        expect(await numbers({ after: 3 })).toEqual([2, 1]);
        expect(await numbers({ actions: ["export"] })).toEqual([5, 3, 1]);
        expect(await numbers({ actions: ["export", "load"], sessionId: one })).toEqual([3, 2, 1]);
        expect(await numbers({ actions: [] })).toEqual([]);
        expect(await numbers({ since: new Date(DAY_MS), until: new Date(3 * DAY_MS) })).toEqual([4, 3, 2]);
        expect(await numbers({ actions: ["export"], at: new Date(2 * DAY_MS) })).toEqual([3]);
      }),
    );

    it(
      "is one chain when many write at the same time",
      onStore(async (storage) => {
        const sessionId = randomIds.sessionId();
        await Promise.all(
          Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? append(storage, { sessionId }) : write(storage, [index]))),
        );
        expect(await verifyAudit(storage)).toMatchObject({ rows: 10, findings: [] });
      }),
    );

    provided(harness.capabilities.manyOpeners, "several openers: only one may have a store open", () => {
      it("is one chain when several openers write", () =>
        withStore(harness, async (store) => {
          const openers = [store.storage, await store.openAnother(), await store.openAnother()];
          await Promise.all(openers.flatMap((storage) => Array.from({ length: 10 }, (_, index) => write(storage, [index]))));
          for (const storage of openers) expect(await verifyAudit(storage)).toMatchObject({ rows: 30, findings: [] });
        }));
    });

    provided(harness.capabilities.persistent, "the store is forgotten when it is closed", () => {
      it("continues after the store is opened again, cut off or not", () =>
        withStore(harness, async (store) => {
          await write(store.storage, [0, 1, 2, 3]);
          const before = await rowsOf(store.storage);
          await store.reopen();
          expect(await rowsOf(store.storage)).toEqual(before);
          await cut(store.storage, 2);
          await store.reopen();
          await write(store.storage, [5]);
          expect((await rowsOf(store.storage)).map(({ number }) => number)).toEqual([3, 4, 5, 6]);
          expect(await verifyAudit(store.storage)).toMatchObject({ rows: 4, findings: [] });
        }));
    });

    it(
      "loses its oldest rows with a row about it, and the rest stays chained to the last of them",
      onStore(async (storage) => {
        await write(storage, [0, 1, 2, 3]);
        const before = await rowsOf(storage);
        expect(await cut(storage, 2)).toBe(2);
        const after = await rowsOf(storage);
        expect(after.slice(0, 2)).toEqual(before.slice(2));
        expect(last(after)).toMatchObject({ number: 5, action: "audit-cut", reason: `through 2 ${before[1]?.digest}` });
        expect(await verifyAudit(storage, { expected: placeOf(last(before)) })).toMatchObject({ rows: 3, findings: [] });
        // A row that was cut off does not count as missing.
        expect(await verifyAudit(storage, { expected: placeOf(before[0] as LoggedEvent) })).toMatchObject({ findings: [] });
        expect(await cut(storage, 2)).toBe(0);
        expect(await rowsOf(storage)).toEqual(after);
      }),
    );

    it(
      "is cut a few rows at a time, only from the beginning, and goes on with its numbers when all are old",
      onStore(async (storage) => {
        await write(storage, [0, 5, 0, 0]);
        expect(await cut(storage, 1)).toBe(1);
        // The second row is young, so it and all rows after it stay.
        expect(await cut(storage, 1)).toBe(0);
        expect(await storage.catalog.cutAudit({ before: new Date(10 * DAY_MS), at: new Date(0), limit: 2 })).toBe(2);
        expect(await storage.catalog.cutAudit({ before: new Date(10 * DAY_MS), at: new Date(0), limit: 9 })).toBe(3);
        expect(await rowsOf(storage)).toMatchObject([{ number: 7, action: "audit-cut" }]);
        await write(storage, [1]);
        expect(await verifyAudit(storage)).toMatchObject({ rows: 2, findings: [] });
      }),
    );

    it(
      "returns no changes since a row that was cut off",
      onStore(async (storage) => {
        const start = (await storage.catalog.changes({ limit: 1 }))?.position;
        await write(storage, [0, 1]);
        const early = (await storage.catalog.changes({ limit: 1 }))?.position;
        await write(storage, [2, 3]);
        const late = (await storage.catalog.changes({ limit: 1 }))?.position;
        await cut(storage, 3);
        expect(await storage.catalog.changes({ after: start, limit: 9 })).toBeUndefined();
        expect(await storage.catalog.changes({ after: early, limit: 9 })).toBeUndefined();
        expect(await storage.catalog.changes({ after: late, limit: 9 })).toMatchObject({ rows: 1, sessions: [] });
      }),
    );

    it(
      "is checked a few rows at a time",
      onStore(async (storage) => {
        await write(storage, [0, 1, 2]);
        const [first, second, third] = await rowsOf(storage);
        const some = await storage.catalog.checkAudit({ limit: 2 });
        expect(some).toMatchObject({ rows: 2, first, last: second });
        const rest = { after: placeOf(second as LoggedEvent), limit: 2 };
        expect(await storage.catalog.checkAudit(rest)).toMatchObject({ rows: 1, first: third, last: third });
        const end = { after: placeOf(third as LoggedEvent), limit: 2 };
        expect(await storage.catalog.checkAudit(end)).toMatchObject({ rows: 0, first: undefined, last: undefined });
      }),
    );

    it(
      "reports when its noted end is missing or different",
      onStore(async (storage) => {
        await write(storage, [0, 1]);
        const [first, second] = await rowsOf(storage);
        const digest = placeOf(second as LoggedEvent).digest;
        expect(await verifyAudit(storage, { expected: { number: 3, digest } })).toMatchObject({
          findings: [{ kind: "cut-off", number: 3 }],
        });
        const other = { number: 2, digest: placeOf(first as LoggedEvent).digest };
        expect(await verifyAudit(storage, { expected: other })).toMatchObject({ findings: [{ kind: "not-as-noted", number: 2 }] });
      }),
    );

    it(
      "starts again when the catalog is rebuilt",
      onStore(async (storage) => {
        await write(storage, [0, 1, 2]);
        await storage.recovery.replaceAll([], [], event(new Date(0), "rebuild"));
        expect(await rowsOf(storage)).toMatchObject([{ number: 1, action: "rebuild" }]);
        expect(await verifyAudit(storage)).toMatchObject({ rows: 1, first: { number: 1, action: "rebuild" }, findings: [] });
      }),
    );
  });
}

function event(at: Date, action: LoggedEvent["action"] = "export") {
  return { at, action, sessionId: undefined, checkpointId: undefined, agentId: undefined };
}

/** Writes one audit row for each day. */
async function write(storage: StorageInUse, days: readonly number[]): Promise<void> {
  for (const day of days) await storage.catalog.commit({ audit: [event(new Date(day * DAY_MS))] });
}

function cut(storage: StorageInUse, beforeDay: number): Promise<number> {
  return storage.catalog.cutAudit({ before: new Date(beforeDay * DAY_MS), at: new Date(9 * DAY_MS), limit: 100 });
}

function rowsOf(storage: StorageInUse): Promise<readonly LoggedEvent[]> {
  return storage.catalog.auditLog({ first: "oldest" });
}

function last(rows: readonly LoggedEvent[]): LoggedEvent {
  return rows.at(-1) as LoggedEvent;
}

/** Chains the same events anew from the start with SHA-256. */
function chainOf(rows: readonly LoggedEvent[]): readonly LoggedEvent[] {
  const chain: LoggedEvent[] = [];
  for (const row of rows) chain.push(linked(row, chain.length === 0 ? CHAIN_START : placeOf(last(chain)), (text) => sha256.sha256(text)));
  return chain;
}

/** Makes the catalog write audit rows in all of its ways. */
async function useAll(storage: StorageInUse): Promise<SessionId> {
  const { catalog } = storage;
  const sessionId = randomIds.sessionId();
  await append(storage, { sessionId });
  const record = await append(storage, { sessionId, agentId: "agent" }, { keepNewest: 1 });
  const done = { ...event(new Date(1)), sessionId };
  await catalog.commit({ pins: { sessionId, pin: ["a"], release: [] }, audit: [{ ...done, action: "pin" }] });
  await catalog.markDamaged(record, { ...done, action: "quarantine", checkpointId: record.id }, async () => true);
  const move = { sessionId, checkpoints: idsOf([record]), at: new Date(2), reason: "test" };
  await catalog.commit({ move: { ...move, from: "live", to: "trash" }, audit: [] });
  await catalog.commit({ move: { ...move, from: "trash", to: "live" }, audit: [] });
  await catalog.commit({ move: { ...move, from: "live", to: "nowhere" }, audit: [] });
  return sessionId;
}
