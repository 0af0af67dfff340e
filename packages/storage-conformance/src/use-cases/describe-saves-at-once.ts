import { describe, expect, it } from "vitest";
import type { StorageHarness } from "../harness.ts";
import { proveStore } from "../prove-store.ts";
import { provided, withStore } from "../store-under-test.ts";
import { randomIds } from "../environment.ts";
import { codeOf, Workbench } from "../workbench.ts";

/** Tests many saves at the same time in one process. */
export function describeSavesAtOnce(harness: StorageHarness): void {
  describe("saves at once", () => {
    it("to one session keep the order of their calls, and none is lost", () =>
      withStore(harness, async ({ storage }) => {
        const bench = new Workbench(storage);
        const sessionId = randomIds.sessionId();
        const saves = Array.from({ length: 50 }, (_, step) => bench.save({ sessionId, context: { step } }));
        const records = (await Promise.all(saves)).map(({ record }) => record);
        expect(records.map(({ sequence }) => sequence)).toEqual(records.map((_, index) => index + 1));
        expect(records.map(({ parentId }) => parentId)).toEqual([null, ...records.slice(0, -1).map(({ id }) => id)]);
        expect((await proveStore(storage)).records).toEqual(records);
      }));

    it("to many sessions are all kept", () =>
      withStore(harness, async ({ storage }) => {
        const bench = new Workbench(storage);
        const sessions = Array.from({ length: 10 }, () => randomIds.sessionId());
        await Promise.all([1, 2, 3].flatMap((step) => sessions.map((sessionId) => bench.save({ sessionId, context: { step } }))));
        for (const sessionId of sessions) expect((await bench.load({ sessionId })).context).toEqual({ step: 3 });
        expect((await proveStore(storage)).records).toHaveLength(30);
      }));

    it("of the same content are one checkpoint", () =>
      withStore(harness, async ({ storage }) => {
        const bench = new Workbench(storage);
        const sessionId = randomIds.sessionId();
        const results = await Promise.all(Array.from({ length: 20 }, () => bench.save({ sessionId, context: { step: 1 } })));
        expect(results.filter(({ status }) => status === "saved")).toHaveLength(1);
        await bench.idle();
        expect((await proveStore(storage)).records).toHaveLength(1);
      }));

    it("leave the head loadable at every moment, while the oldest are pruned", () =>
      withStore(harness, async ({ storage }) => {
        const bench = new Workbench(storage, { limits: { maxCheckpoints: 2 } });
        const sessionId = randomIds.sessionId();
        await bench.save({ sessionId, context: { step: 0 } });
        const saving = (async () => {
          for (let step = 1; step <= 60; step++) await bench.save({ sessionId, context: { step } });
        })();
        const done = saving.then(() => true);
        let seen = 0;
        for (;;) {
          const step = Number((await bench.load({ sessionId })).context["step"]);
          expect(step).toBeGreaterThanOrEqual(seen);
          seen = step;
          if (await Promise.race([done, new Promise<false>((resolve) => setImmediate(resolve, false))])) break;
        }
        await bench.idle();
        expect(bench.backgroundFailures).toEqual([]);
        expect((await proveStore(storage)).records).toHaveLength(2);
        expect(await bench.collectGarbage()).toEqual({ blobs: 0, quarantined: 0, abandoned: 0 });
      }));

    provided(harness.capabilities.manyOpeners, "several openers: only one may have a store open", () => {
      it("through several openers are all kept, and the numbers have no gaps", () =>
        withStore(harness, async (store) => {
          const sessionId = randomIds.sessionId();
          const openers = [store.storage, await store.openAnother(), await store.openAnother()];
          const benches = openers.map((storage) => new Workbench(storage));
          const saves = benches.flatMap((bench, opener) =>
            Array.from({ length: 10 }, (_, step) => bench.save({ sessionId, context: { opener, step } })),
          );
          const ids = (await Promise.all(saves)).map(({ record }) => record.id);
          const { records } = await proveStore(store.storage);
          expect(records.map(({ sequence }) => sequence)).toEqual(ids.map((_, index) => index + 1));
          expect(new Set(records.map(({ id }) => id))).toEqual(new Set(ids));
        }));

      it("through several openers let one compare-and-swap win", () =>
        withStore(harness, async (store) => {
          const sessionId = randomIds.sessionId();
          const openers = [store.storage, await store.openAnother(), await store.openAnother()];
          const outcomes = await Promise.all(
            openers.map(async (storage, opener) => {
              const save = new Workbench(storage).save({ sessionId, context: { opener }, expectedParentId: null });
              return save.then(
                () => "saved",
                () => codeOf(save),
              );
            }),
          );
          expect(outcomes.sort()).toEqual(["CONFLICT", "CONFLICT", "saved"]);
        }));
    });
  });
}
