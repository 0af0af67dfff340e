import { createHash } from "node:crypto";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Log, LogFields } from "@workrail/core";
import { SteppingClock } from "@workrail/storage-conformance/builders";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { OpenOptions } from "../src/open-options.ts";
import type { Workrail } from "../src/workrail.ts";
import { KINDS, onDisk, type Place, refusalOf } from "./stores.ts";

const DAY = 86_400_000;
const START = new Date("2026-01-01T00:00:00.000Z");

let turns: NodeJS.Timeout | undefined;

afterEach(() => {
  clearInterval(turns);
  vi.useRealTimers();
});

/** Stops the timers except those that are due at once, which let other work run. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  turns = setInterval(() => vi.advanceTimersByTime(0), 1);
}

/** A context of about a thousand stored bytes that cannot be compressed. */
function aContext(name: string): object {
  const noise = Array.from({ length: 24 }, (_, n) => createHash("sha256").update(`${name} ${n}`).digest("base64url"));
  return { name, noise: noise.join("") };
}

let saves = 0;

async function saveTo(store: Workrail, ...sessionIds: readonly string[]): Promise<readonly (string | undefined)[]> {
  const warnings: (string | undefined)[] = [];
  for (const sessionId of sessionIds) {
    const saved = await store.saveCheckpoint({ sessionId, context: aContext(`${sessionId} ${saves++}`) });
    warnings.push(saved.quotaWarning);
  }
  return warnings;
}

async function sessionsOf(store: Workrail): Promise<readonly string[]> {
  const { checkpoints } = await store.findCheckpoints({ project: null, limit: 100 });
  return [...new Set(checkpoints.map(({ sessionId }) => sessionId))].toSorted();
}

async function trashOf(store: Workrail): Promise<readonly string[]> {
  return (await store.listTrash()).map(({ sessionId }) => sessionId);
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await yieldToEventLoop();
}

/** Opens a store on a day, counted from the start. */
function openOn(place: Place, day: number, options: OpenOptions = {}): Promise<Workrail> {
  const clock = new SteppingClock(new Date(START.getTime() + day * DAY));
  return place.open({ ...options, adapters: { clock, ...options.adapters } });
}

async function useOn(place: Place, day: number): Promise<void> {
  const store = await openOn(place, day);
  await store.saveCheckpoint({ sessionId: "young", context: { day } });
  await store.close();
}

function listening(): { readonly warnings: { message: string; fields: LogFields | undefined }[]; readonly log: Log } {
  const warnings: { message: string; fields: LogFields | undefined }[] = [];
  const ignore = (): void => {};
  const warn: Log["warn"] = (message, fields) => void warnings.push({ message, fields });
  return { warnings, log: { debug: ignore, info: ignore, error: ignore, warn } };
}

describe.each(KINDS)("a store in $kind", ({ at }) => {
  it("is cleaned up soon after it is opened, and then daily", () =>
    at(async (place) => {
      const first = await openOn(place, 0);
      await saveTo(first, "old");
      await first.close();
      // A clock that jumps by more than a week is not trusted.
      for (const day of [7, 14, 21, 28]) await useOn(place, day);
      stopTime();
      const clock = new SteppingClock(new Date(START.getTime() + 31 * DAY));
      const store = await place.open({ adapters: { clock } });
      await saveTo(store, "young");
      expect(await sessionsOf(store)).toEqual(["old", "young"]);
      vi.advanceTimersByTime(10_000);
      await until(async () => (await trashOf(store)).length > 0);
      expect([await sessionsOf(store), await trashOf(store)]).toEqual([["young"], ["old"]]);
      clock.set(new Date(START.getTime() + 35 * DAY));
      vi.advanceTimersByTime(DAY);
      await until(async () => (await store.auditLog({ actions: ["clean-up"] })).entries.length === 2);
      clock.set(new Date(START.getTime() + 39 * DAY));
      vi.advanceTimersByTime(DAY);
      await until(async () => (await trashOf(store)).length === 0);
      expect(await sessionsOf(store)).toEqual(["young"]);
      await store.close();
      expect(vi.getTimerCount()).toBe(0);
    }));

  it("spares recently loaded checkpoints", () =>
    at(async (place) => {
      const first = await openOn(place, 0);
      await saveTo(first, "a", "b");
      await first.close();
      const store = await openOn(place, 31);
      await store.loadCheckpoint({ sessionId: "a" });
      await store.saveCheckpoint({ sessionId: "c", context: {} });
      await store.cleanUp();
      expect([await sessionsOf(store), await trashOf(store)]).toEqual([["a", "c"], ["b"]]);
      await store.close();
    }));

  it("follows its settings", () =>
    at(async (place) => {
      const first = await openOn(place, 0);
      await saveTo(first, "a");
      await first.close();
      const never = await openOn(place, 1_000, { env: { WORKRAIL_RETENTION_DAYS: "0" } });
      expect((await never.cleanUp()).removed).toEqual([]);
      await never.close();
      const noTrash = await openOn(place, 6, { env: { WORKRAIL_RETENTION_DAYS: "5", WORKRAIL_TRASH_DAYS: "0" } });
      expect((await noTrash.cleanUp()).removed).toMatchObject([{ sessionId: "a", to: "nowhere" }]);
      await noTrash.close();
    }));

  it("is cleaned up when a save leaves it more than nine tenths full, without keeping the process alive", () =>
    at(async (place) => {
      const options = { limits: { maxTotalBytes: 12_000 } };
      const store = await openOn(place, 0, options);
      await saveTo(store, "a", "b", "c", "d", "e", "f", "g", "h", "i");
      await store.close();
      const again = await openOn(place, 1, options);
      await saveTo(again, "j", "k");
      await again.close();
      const after = await openOn(place, 2, options);
      const left = await sessionsOf(after);
      expect(left).not.toContain("a");
      expect(left).toContain("k");
      const { bytesAfter } = await after.cleanUp({ dryRun: true });
      expect(bytesAfter).toBeLessThanOrEqual(10_800);
      await after.close();
    }));

  it("frees space once for a save that would be refused", () =>
    at(async (place) => {
      const env = { WORKRAIL_CLEANUP_FROM_PERCENT: "100", WORKRAIL_CLEANUP_TO_PERCENT: "50" };
      const store = await openOn(place, 0, { env, limits: { maxTotalBytes: 5_000 } });
      await saveTo(store, "a", "b", "c", "d");
      await saveTo(store, "e", "f");
      const left = await sessionsOf(store);
      expect(left).not.toContain("a");
      expect(left.slice(-2)).toEqual(["e", "f"]);
      await store.close();
    }));

  it("refuses a save that can never fit, gives advice, and removes nothing", () =>
    at(async (place) => {
      const store = await openOn(place, 0, { limits: { maxTotalBytes: 5_000 } });
      await saveTo(store, "a");
      for (const id of ["b", "c", "d"]) {
        await saveTo(store, id);
        await store.keepSession(id);
      }
      const refusal = await refusalOf(
        store.saveCheckpoint({ sessionId: "e", context: { much: [1, 2, 3, 4, 5].map((n) => aContext(`${n}`)) } }),
      );
      expect(refusal).toMatchObject({
        code: "STORAGE_QUOTA_EXCEEDED",
        details: { limit: "maxTotalBytes", maxTotalBytes: 5_000, usageBytes: expect.any(Number), sizeBytes: expect.any(Number) },
        hint: expect.stringContaining("workrail cleanup"),
      });
      expect(await sessionsOf(store)).toEqual(["a", "b", "c", "d"]);
      await store.close();
    }));

  it("warns once when it fills up, and again only after it had free space in between", () =>
    at(async (place) => {
      const { warnings, log } = listening();
      const env = { WORKRAIL_CLEANUP_FROM_PERCENT: "100" };
      const store = await openOn(place, 0, { env, limits: { maxTotalBytes: 8_000 }, adapters: { log } });
      const told = await saveTo(store, "a", "b", "c", "d", "e", "f", "g");
      expect(told.filter((warning) => warning !== undefined)).toEqual([expect.stringContaining("at most 8000 bytes")]);
      await store.cleanUp({ sessionId: "a", permanently: true });
      await store.cleanUp({ sessionId: "b", permanently: true });
      await store.cleanUp({ sessionId: "c", permanently: true });
      expect(await saveTo(store, "h")).toEqual([undefined]);
      const again = await saveTo(store, "i", "j");
      expect(again.filter((warning) => warning !== undefined)).toHaveLength(1);
      const fields = { usageBytes: expect.any(Number), maxTotalBytes: 8_000, hint: expect.any(String) };
      expect(warnings.filter(({ message }) => message === "the store is filling up")).toEqual([
        { message: expect.any(String), fields },
        { message: expect.any(String), fields },
      ]);
      await store.close();
    }));

  it("removes the selected checkpoints, restores from the trash, and keeps those marked to be kept", () =>
    at(async (place) => {
      const store = await openOn(place, 0);
      await saveTo(store, "a", "a", "b");
      const { context } = await store.loadCheckpoint({ sessionId: "a" });
      expect(await store.cleanUp({ sessionId: "a" })).toMatchObject({ removed: [{ reason: "manual", to: "trash" }] });
      expect(await refusalOf(store.loadCheckpoint({ sessionId: "a" }))).toMatchObject({ code: "SESSION_NOT_FOUND" });
      const restored = await store.restoreFromTrash({ sessionId: "a" });
      expect(restored.checkpointIds).toHaveLength(2);
      expect((await store.loadCheckpoint({ sessionId: "a" })).context).toEqual(context);
      expect((await store.keepSession("a")).tags).toEqual(["keep"]);
      expect((await store.cleanUp({ unusedForMs: 0 })).spared).toMatchObject([{ sessionId: "a", checkpoints: 2 }]);
      expect(await sessionsOf(store)).toEqual(["a"]);
      expect((await store.emptyTrash()).removed).toMatchObject([{ sessionId: "b", from: "trash" }]);
      expect((await store.keepSession("a", false)).tags).toBeUndefined();
      await store.close();
    }));

  it("refuses a kind of removal without a selection", () =>
    at(async (place) => {
      const store = await openOn(place, 0);
      expect(await refusalOf(store.cleanUp({ permanently: true }))).toMatchObject({ code: "INVALID_INPUT" });
      await store.close();
    }));
});

it("lets two processes clean up the same store at once", () =>
  onDisk(async (place) => {
    const first = await openOn(place, 0);
    await saveTo(first, ...Array.from({ length: 20 }, (_, n) => `s${n}`));
    await first.close();
    // On a slow disk one process may wait long for the other.
    const patient = { env: { WORKRAIL_LOCK_TIMEOUT_MS: "60000" } };
    const [one, other] = [await openOn(place, 31, patient), await openOn(place, 31, patient)];
    const reports = await Promise.all([one.cleanUp(), other.cleanUp()]);
    expect(reports.reduce((sum, { removed }) => sum + removed.length, 0)).toBe(20);
    expect(await one.listTrash()).toHaveLength(20);
    expect(await one.verifyStore()).toMatchObject({ findings: [] });
    await one.close();
    await other.close();
  }));
