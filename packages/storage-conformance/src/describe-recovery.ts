import { type Background, type CheckpointId, type CheckpointRecord, type Context, type SaveInput } from "@workrail/core";
import type { StorageInUse } from "./storage-in-use.ts";
import { SteppingClock } from "./builders.ts";
import { describe, expect, it } from "vitest";
import { append, idsOf } from "./append.ts";
import type { StorageHarness } from "./harness.ts";
import { allRecords, proveStore } from "./prove-store.ts";
import { provided, withStore } from "./store-under-test.ts";
import { tally } from "./tally.ts";
import { randomIds } from "./environment.ts";
import { codeOf, Workbench } from "./workbench.ts";

/** Tests recovery: a catalog rebuilt from blobs and session facts equals the lost one. */
export function describeRecovery(harness: StorageHarness): void {
  describe(`${harness.name}: recovery`, () => {
    describe("rebuilding an intact catalog", () => {
      describeRebuild(harness, async (storage) => storage);
    });

    describe("rebuilding a lost catalog", () => {
      provided(harness.loseCatalog !== undefined, "the harness cannot lose the catalog alone", () => {
        describeRebuild(harness, (_, lose) => lose());

        it("is reported as needed until it is done", () =>
          withStore(harness, async (store) => {
            expect(await store.storage.recovery.needsRebuild()).toBe(false);
            await new Workbench(store.storage).save({ sessionId: randomIds.sessionId(), context: { step: 1 } });
            expect(await store.storage.recovery.needsRebuild()).toBe(false);
            const storage = await store.reopen(() => lose(harness, store.place));
            expect(await storage.recovery.needsRebuild()).toBe(true);
            await new Workbench(storage).rebuild();
            expect(await storage.recovery.needsRebuild()).toBe(false);
          }));
      });
    });

    it("finds no damage in an intact catalog", () =>
      withStore(harness, async ({ storage }) => {
        await new Workbench(storage).save({ sessionId: randomIds.sessionId(), context: { step: 1 } });
        await storage.recovery.examine();
        expect(await storage.recovery.needsRebuild()).toBe(false);
      }));

    provided(harness.capabilities.manyOpeners, "several openers: only one may have a store open", () => {
      it("refuses a rebuild while another opener has the store open, and changes nothing", () =>
        withStore(harness, async (store) => {
          const bench = new Workbench(store.storage);
          const sessionId = randomIds.sessionId();
          await bench.save({ sessionId, context: { step: 1 } });
          const another = await store.openAnother();
          expect(await codeOf(bench.rebuild())).toBe("STORE_IN_USE");
          await new Workbench(another).save({ sessionId, context: { step: 2 } });
          expect((await proveStore(store.storage)).records).toHaveLength(2);
          await another.close();
          expect((await bench.rebuild()).checkpoints).toBe(2);
          expect((await proveStore(store.storage)).records).toHaveLength(2);
        }));
    });
  });
}

/** Tests that apply to every rebuild, whether the catalog was lost or not. */
function describeRebuild(
  harness: StorageHarness,
  beforeRebuild: (storage: StorageInUse, lose: () => Promise<StorageInUse>) => Promise<StorageInUse>,
): void {
  /** Gives a test a store to fill, and a function that returns the rebuilt store. */
  const rebuilding = (test: (bench: Workbench, storage: StorageInUse, rebuild: () => Promise<Rebuilt>) => Promise<void>) => () =>
    withStore(harness, async (store) => {
      const clock = new SteppingClock();
      const limits = { maxCheckpoints: 3 };
      const bench = new Workbench(store.storage, { clock, limits });
      await test(bench, store.storage, async () => {
        await bench.idle();
        const storage = await beforeRebuild(store.storage, () => store.reopen(() => lose(harness, store.place)));
        const rebuilt = new Workbench(storage, { clock, limits });
        tally({ tries: 1 });
        return { storage, bench: rebuilt, report: await rebuilt.rebuild() };
      });
    });

  it(
    "restores every record, in every session, in order",
    rebuilding(async (bench, storage, rebuild) => {
      const [one, other] = [randomIds.sessionId(), randomIds.sessionId()];
      const first = await save(bench, { sessionId: one, context: { step: 1 }, name: "first", tags: ["b", "a"], agentId: "agent" });
      await save(bench, { sessionId: other, context: { step: 1 }, kind: "project", project: "/home/me", workflowId: "work" });
      await save(bench, {
        sessionId: one,
        context: { step: 2 },
        attributes: JSON.parse('{"z":1,"__proto__":{"a":"\\ud800"}}') as Context,
      });
      await save(bench, { sessionId: other, context: { fork: true }, parentId: first.id });
      await save(bench, { sessionId: one, context: { note: "aside" }, kind: "aside" });
      await save(bench, { sessionId: one, context: { step: 2 }, force: true });
      const before = await proveStore(storage);
      const rebuilt = await rebuild();
      expect(rebuilt.report).toMatchObject({ checkpoints: 6, sessions: 2, removedEarlier: 0, unreadable: [] });
      const after = await proveStore(rebuilt.storage);
      expect(after.records).toEqual(before.records.map((record) => ({ ...record, lastAccessedAt: record.createdAt })));
      expect(after.texts).toEqual(before.texts);
    }),
  );

  it(
    "keeps handles valid",
    rebuilding(async (bench, _, rebuild) => {
      const sessionId = randomIds.sessionId();
      const first = await save(bench, { sessionId, context: { step: 0 } });
      const { record: aside, ...handle } = await bench.saveAside({ sessionId, context: { aside: true } });
      const second = await bench.issueHandle(first.id);
      const { storage, bench: again } = await rebuild();
      expect(await storage.catalog.find(aside.id)).toMatchObject({ kind: "aside", shieldedUntil: handle.validUntil });
      expect((await storage.catalog.find(first.id))?.shieldedUntil).toEqual(second?.validUntil);
      for (let step = 1; step <= 4; step++) await save(again, { sessionId, context: { step } });
      expect((await again.load({ checkpointId: first.id })).context).toEqual({ step: 0 });
      await again.idle();
    }),
  );

  it(
    "keeps the pins of each session, in their order",
    rebuilding(async (bench, _, rebuild) => {
      const sessionId = randomIds.sessionId();
      const awkward = JSON.parse(String.raw`{"plan":1,"__proto__":2,"\ud800":3,"released":4}`) as Context;
      await save(bench, { sessionId, context: awkward });
      for (const key of ["released", "__proto__", "\ud800", "plan"]) await bench.pin({ sessionId, key });
      await bench.pin({ sessionId, key: "released", critical: false });
      const { storage } = await rebuild();
      expect((await storage.catalog.session(sessionId))?.pins).toEqual(["__proto__", "\ud800", "plan"]);
    }),
  );

  it(
    "does not restore removed checkpoints whose blobs still exist",
    rebuilding(async (_, storage, rebuild) => {
      const bench = new Workbench(storage, { limits: { maxCheckpoints: 2 }, background: NEVER });
      const sessionId = randomIds.sessionId();
      const records: CheckpointRecord[] = [];
      for (let step = 1; step <= 5; step++) records.push(await save(bench, { sessionId, context: { step } }));
      const removed = records.slice(0, 3);
      for (const { blob } of removed) expect(await storage.blobs.get(blob)).toBeDefined();
      const first = await rebuild();
      expect(first.report).toMatchObject({ checkpoints: 2, removedEarlier: 3 });
      for (const { id } of removed) expect(await first.storage.catalog.find(id)).toBeUndefined();
      // Session facts that are written from now on must still contain the removed checkpoints.
      await first.bench.pin({ sessionId, key: "step" });
      expect((await first.bench.rebuild()).checkpoints).toBe(2);
      expect(idsOf(await allRecords(first.storage))).not.toContain(records[0]?.id);
      await first.bench.collectGarbage();
      for (const { blob } of removed) expect(await first.storage.blobs.get(blob)).toBeUndefined();
      expect(await first.bench.rebuild()).toMatchObject({ checkpoints: 2, removedEarlier: 0 });
    }),
  );

  it(
    "keeps the delta chain of a checkpoint whose base was removed",
    rebuilding(async (bench, storage, rebuild) => {
      const sessionId = randomIds.sessionId();
      const filler = "as it was before ".repeat(100);
      const records: CheckpointRecord[] = [];
      for (let step = 1; step <= 3; step++) records.push(await save(bench, { sessionId, kind: "project", context: { step, filler } }));
      for (let step = 4; step <= 5; step++) await save(bench, { sessionId, kind: "project", context: { step } });
      await bench.compact(sessionId);
      const [first, ...removed] = idsOf(records);
      expect((await allRecords(storage)).slice(0, 2).map(({ baseId }) => baseId)).toEqual(removed);
      const remove = async (into: StorageInUse, id: CheckpointId | undefined): Promise<void> => {
        const checkpoints = id === undefined ? [] : [id];
        await into.catalog.commit({
          move: { sessionId, checkpoints, from: "live", to: "nowhere", at: new Date(), reason: "test" },
          audit: [],
        });
        await into.catalog.reclaim(undefined, (ref) => into.blobs.remove(ref));
      };
      await remove(storage, removed[0]);
      const rebuilt = await rebuild();
      await remove(rebuilt.storage, removed[1]);
      expect((await rebuilt.bench.load({ checkpointId: first })).context).toEqual({ step: 1, filler });
    }),
  );

  it.each(["is still there", "is gone already"])("finishes an interrupted erasure whose file %s", (file) =>
    rebuilding(async (bench, storage, rebuild) => {
      const gone = await save(bench, { sessionId: randomIds.sessionId(), context: { step: 1 } });
      const kept = await save(bench, { sessionId: randomIds.sessionId(), context: { step: 2 } });
      const { id: checkpointId, sessionId, blob } = gone;
      const move = {
        sessionId,
        checkpoints: [checkpointId],
        at: new Date(),
        reason: "test",
        from: "live",
        to: "nowhere",
        erases: true,
      } as const;
      await storage.catalog.commit({ move, audit: [] });
      if (file === "is gone already") await storage.catalog.reclaim(undefined, (ref) => storage.blobs.erase(ref));
      const rebuilt = await rebuild();
      expect(await rebuilt.storage.catalog.erasures()).toEqual([{ checkpointId, sessionId, blob, edges: [] }]);
      expect((await rebuilt.bench.finishErasures()).left).toEqual([]);
      await rebuilt.bench.rebuild();
      expect(await rebuilt.storage.catalog.erasures()).toEqual([]);
      expect(idsOf(await allRecords(rebuilt.storage))).toEqual([kept.id]);
    })(),
  );

  it(
    "rebuilds an empty catalog from an empty store",
    rebuilding(async (_bench, _storage, rebuild) => {
      const { report, storage } = await rebuild();
      expect(report).toMatchObject({ checkpoints: 0, sessions: 0 });
      expect(await allRecords(storage)).toEqual([]);
      expect((await append(storage, { sessionId: randomIds.sessionId() })).sequence).toBe(1);
    }),
  );
}

interface Rebuilt {
  readonly storage: StorageInUse;
  readonly bench: Workbench;
  readonly report: Awaited<ReturnType<Workbench["rebuild"]>>;
}

/** Background that runs nothing, as when the process dies after each answer. */
const NEVER: Background = { run: () => undefined };

async function save(bench: Workbench, input: SaveInput): Promise<CheckpointRecord> {
  const result = await bench.save(input);
  expect(result.status).toBe("saved");
  return result.record;
}

function lose(harness: StorageHarness, place: string): Promise<void> {
  return harness.loseCatalog?.(place) ?? Promise.reject(new Error("The harness cannot lose the catalog."));
}
