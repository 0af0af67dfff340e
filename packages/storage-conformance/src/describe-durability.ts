import { existsSync, readdirSync } from "node:fs";
import { CHECKPOINT_KINDS, type CheckpointId, type PageCursor, type SessionId } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { append } from "./append.ts";
import { type Chance, withChance } from "./chance.ts";
import type { StorageHarness } from "./harness.ts";
import { type ConformanceOptions, completeOptions } from "./options.ts";
import { KEPT_IN_PRUNED, type Saved, type Task } from "./processes/task.ts";
import { WorkerProcess } from "./processes/worker-process.ts";
import { proveStore } from "./prove-store.ts";
import { provided, withStore } from "./store-under-test.ts";
import { tally } from "./tally.ts";
import { randomIds, sha256 } from "./environment.ts";
import { codeOf, Workbench } from "./workbench.ts";
import { storageInUse, type StorageInUse } from "./storage-in-use.ts";

/** Directory in which Linux and macOS list the open files and connections of a process. */
const OPEN_FILES = "/dev/fd";

const FOREVER = Number.MAX_SAFE_INTEGER;

/** Tests that acknowledged checkpoints stay: after closing, after a kill at any moment, beside other processes. */
export function describeDurability(harness: StorageHarness, options?: ConformanceOptions): void {
  const { kills, savers, seed } = completeOptions(options);
  const { persistent, manyOpeners } = harness.capabilities;

  describe(`${harness.name}: durability`, () => {
    it("reports no more durability than the harness declares", () =>
      withStore(harness, async ({ storage }) => {
        expect(["disk", "memory"]).toContain(storage.durability);
        expect(storage.durability === "memory" || persistent).toBe(true);
        expect(storage.mode).not.toBe("");
      }));

    it("may be closed twice", () =>
      withStore(harness, async ({ storage }) => {
        await storage.close();
        await expect(storage.close()).resolves.toBeUndefined();
      }));

    provided(persistent, "opening again: closing forgets the store", () => describeReopening(harness));

    const mayBeKilled = persistent && harness.module !== undefined;
    provided(mayBeKilled, "killed processes: closing forgets the store, or the harness names no module for child processes", () => {
      describe("a process killed at a random moment", { timeout: 600_000 }, () => {
        it(`loses no acknowledged save, ${kills} times`, () => killSaving(harness, kills, seed));
        it(`loses nothing during a rebuild, ${Math.ceil(kills / 3)} times`, () => killRebuilding(harness, Math.ceil(kills / 3), seed));
      });
    });

    provided(mayBeKilled && manyOpeners, "several processes: only one may have a store open, or none can be started", () => {
      describe("several processes", { timeout: 600_000 }, () => {
        describeProcesses(harness, savers);
      });
    });
  });
}

function describeReopening(harness: StorageHarness): void {
  it("keeps everything when it is reopened", () =>
    withStore(harness, async (store) => {
      const sessionId = randomIds.sessionId();
      const bench = new Workbench(store.storage, { limits: { maxCheckpoints: 4 } });
      for (let step = 1; step <= 6; step++)
        await bench.save({ sessionId, context: { step, plan: "x".repeat(step) }, name: `step ${step}` });
      await bench.save({ sessionId, context: { aside: true }, kind: "aside" });
      await bench.pin({ sessionId, key: "plan" });
      await bench.idle();
      const at = new Date("2027-01-01T00:00:00.000Z");
      const loaded = (await store.storage.catalog.head(sessionId))?.id as CheckpointId;
      await store.storage.catalog.commit({ accesses: [{ checkpointId: loaded, at }], audit: [] });
      const [before, session] = [await proveStore(store.storage), await store.storage.catalog.session(sessionId)];
      const storage = await store.reopen();
      expect(await proveStore(storage)).toEqual(before);
      expect(await storage.catalog.session(sessionId)).toEqual(session);
      expect(session).toMatchObject({ pins: ["plan"], checkpointCount: 4, asideCount: 1, lastAccessedAt: at });
      expect(await new Workbench(storage).save({ sessionId, context: { step: 7 } })).toMatchObject({ record: { sequence: 8 } });
    }));

  it("continues a listing after it is reopened", () =>
    withStore(harness, async (store) => {
      const sessionId = randomIds.sessionId();
      for (let count = 0; count < 5; count++) await append(store.storage, { sessionId });
      const page = (storage: StorageInUse, after?: PageCursor) =>
        storage.catalog.list({ filter: { kinds: CHECKPOINT_KINDS }, limit: 3, offset: 0, after });
      const { next } = await page(store.storage);
      const { records } = await page(await store.reopen(), next);
      expect(records.map(({ sequence }) => sequence)).toEqual([2, 1]);
    }));

  it("keeps pending removals and delta dependencies when it is reopened", () =>
    withStore(harness, async (store) => {
      const sessionId = randomIds.sessionId();
      const removed = await append(store.storage, { sessionId });
      const base = await append(store.storage, { sessionId, kind: "project" });
      const dependent = await append(store.storage, { sessionId }, { keepNewest: 1 });
      const edge = { dependent: dependent.id, base: base.id };
      await store.storage.catalog.commit({ edges: { add: [edge], drop: [] }, audit: [] });
      const storage = await store.reopen();
      expect(await storage.catalog.reclaim(undefined, (ref) => storage.blobs.remove(ref))).toEqual([removed.blob]);
      expect(await storage.blobs.get(removed.blob)).toBeUndefined();
      expect(await storage.catalog.reclaim([base.blob], (ref) => storage.blobs.remove(ref))).toEqual([]);
    }));

  provided(existsSync(OPEN_FILES), "what is left open: the system does not list it", () => {
    it("leaves no files or connections open when it is closed", () =>
      withStore(harness, async (store) => {
        const useOnce = async (): Promise<void> => {
          await append(await store.reopen(), { sessionId: randomIds.sessionId() });
          await store.close();
        };
        await useOnce();
        const before = readdirSync(OPEN_FILES).length;
        for (let time = 1; time <= 20; time++) await useOnce();
        // An adapter that leaves one open per use leaves twenty; a few come and go for other reasons.
        expect(readdirSync(OPEN_FILES).length - before).toBeLessThan(10);
      }));
  });
}

async function killSaving(harness: StorageHarness, kills: number, seed: number): Promise<void> {
  const [sessionId, pruned] = [randomIds.sessionId(), randomIds.sessionId()];
  const saved: Saved[] = [];
  await atPlace(harness, seed, async (place, chance) => {
    for (let kill = 1; kill <= kills; kill++) {
      const worker = start(harness, place, { type: "save", sessionId, pruned, writer: `process ${kill}`, saves: FOREVER });
      await worker.told(2 + chance.below(30));
      await new Promise((resolve) => setTimeout(resolve, chance.below(8)));
      await worker.kill();
      saved.push(...worker.saved);
      await opening(harness, place, async (storage) => {
        const records = await proveAcknowledged(storage, sessionId, saved);
        // A save that was running at the kill may be committed without a message.
        expect(records).toBeLessThanOrEqual(saved.filter((each) => each.sessionId === sessionId).length + kill);
        await provePruned(storage, pruned, saved);
      });
    }
    await opening(harness, place, async (storage) => {
      await new Workbench(storage).collectGarbage();
      await new Workbench(storage).rebuild();
      await proveAcknowledged(storage, sessionId, saved);
    });
  });
}

async function killRebuilding(harness: StorageHarness, kills: number, seed: number): Promise<void> {
  const sessionId = randomIds.sessionId();
  await atPlace(harness, seed, async (place, chance) => {
    await opening(harness, place, async (storage) => {
      for (let step = 1; step <= 20; step++) await new Workbench(storage).save({ sessionId, context: { step } });
      await new Workbench(storage).pin({ sessionId, key: "step" });
    });
    for (let kill = 1; kill <= kills; kill++) {
      const worker = start(harness, place, { type: "rebuild", times: FOREVER });
      await worker.told(2 + chance.below(3));
      await new Promise((resolve) => setTimeout(resolve, chance.below(12)));
      await worker.kill();
      await opening(harness, place, async (storage) => {
        // After a kill between the old catalog and the new one, the store knows that its catalog is lost.
        if (await storage.recovery.needsRebuild()) await new Workbench(storage).rebuild();
        const { records } = await proveStore(storage);
        expect(records.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
        expect((await storage.catalog.session(sessionId))?.pins).toEqual(["step"]);
      });
    }
  });
}

/** Runs work with a closed store and random choices. */
async function atPlace(harness: StorageHarness, seed: number, work: (place: string, chance: Chance) => Promise<void>): Promise<void> {
  const place = await harness.create();
  try {
    await withChance(seed, (chance) => work(place, chance));
  } finally {
    await harness.destroy(place);
  }
}

function describeProcesses(harness: StorageHarness, savers: number): void {
  it("save to one session without losses, and without gaps in the sequence", () =>
    withStore(harness, async ({ place, storage }) => {
      const sessionId = randomIds.sessionId();
      const workers = Array.from({ length: savers }, (_, index) =>
        start(harness, place, { type: "save", sessionId, writer: `process ${index}`, saves: 15 }),
      );
      await Promise.all(workers.map((worker) => worker.done()));
      const saved = workers.flatMap((worker) => worker.saved);
      tally({ tries: workers.length, acknowledged: saved.length });
      expect(saved).toHaveLength(savers * 15);
      expect(await proveAcknowledged(storage, sessionId, saved)).toBe(savers * 15);
    }));

  it("continue when one of them is killed", () =>
    withStore(harness, async ({ place, storage }) => {
      const sessionId = randomIds.sessionId();
      const task = { type: "save", sessionId, pruned: randomIds.sessionId(), saves: 25 } as const;
      const [victim, ...others] = ["victim", "a", "b"].map((writer) => start(harness, place, { ...task, writer })) as [WorkerProcess];
      await victim.told(8);
      await victim.kill();
      await Promise.all(others.map((worker: WorkerProcess) => worker.done()));
      const saved = [victim, ...others].flatMap((worker) => worker.saved);
      await proveAcknowledged(storage, sessionId, saved);
      await provePruned(storage, task.pruned, saved);
    }));

  it("prevent a rebuild until the last of them has ended, even by a kill", () =>
    withStore(harness, async ({ place, storage }) => {
      const bench = new Workbench(storage);
      await bench.save({ sessionId: randomIds.sessionId(), context: { step: 1 } });
      const worker = start(harness, place, { type: "hold" });
      await worker.told(1);
      expect(await codeOf(bench.rebuild())).toBe("STORE_IN_USE");
      await worker.kill();
      expect((await bench.rebuild()).checkpoints).toBe(1);
    }));
}

function start(harness: StorageHarness, place: string, task: Task): WorkerProcess {
  return new WorkerProcess(harness, place, task);
}

async function opening(harness: StorageHarness, place: string, work: (storage: StorageInUse) => Promise<void>): Promise<void> {
  const storage = storageInUse(await harness.open(place));
  try {
    await work(storage);
  } finally {
    await storage.close();
  }
}

/** Expects every acknowledged checkpoint with its content, and sequences without gaps or repetitions. Returns the number of checkpoints. */
async function proveAcknowledged(storage: StorageInUse, sessionId: SessionId, saved: readonly Saved[]): Promise<number> {
  const { records, texts } = await proveStore(storage);
  const ofSession = records.filter((record) => record.sessionId === sessionId);
  expect(ofSession.map(({ sequence }) => sequence)).toEqual(ofSession.map((_, index) => index + 1));
  const sequences = new Map(ofSession.map(({ id, sequence }) => [id, sequence]));
  for (const { id, sequence, digest } of saved.filter((each) => each.sessionId === sessionId)) {
    expect({ id, sequence: sequences.get(id), digest: sha256.sha256(texts.get(id) ?? "") }).toEqual({ id, sequence, digest });
  }
  expect((await new Workbench(storage).load({ sessionId })).record.id).toBe(ofSession.at(-1)?.id);
  return ofSession.length;
}

/** Expects the newest acknowledged checkpoint, or a newer one, to be the head. */
async function provePruned(storage: StorageInUse, sessionId: SessionId, saved: readonly Saved[]): Promise<void> {
  const newest = Math.max(0, ...saved.filter((each) => each.sessionId === sessionId).map(({ sequence }) => sequence));
  if (newest === 0) return;
  const { record } = await new Workbench(storage).load({ sessionId });
  expect(record.sequence).toBeGreaterThanOrEqual(newest);
  expect((await storage.catalog.session(sessionId))?.checkpointCount).toBeLessThanOrEqual(KEPT_IN_PRUNED);
}
