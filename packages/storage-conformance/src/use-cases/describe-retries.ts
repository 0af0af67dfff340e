import type { Context, SaveInput } from "@workrail/core";
import { describe, expect, it } from "vitest";
import type { StorageHarness } from "../harness.ts";
import { allRecords, proveStore } from "../prove-store.ts";
import { provided, withStore } from "../store-under-test.ts";
import { randomIds } from "../environment.ts";
import type { StorageInUse } from "../storage-in-use.ts";
import { type StorageParts, Workbench } from "../workbench.ts";

/** Tests saves under an id whose blob is missing or left over. */
export function describeRetries(harness: StorageHarness): void {
  const onStore = (test: (bench: Workbench, storage: StorageInUse) => Promise<void>) => () =>
    withStore(harness, ({ storage }) => test(new Workbench(storage), storage));

  describe("retries", () => {
    it.each<[string, Context]>([
      ["the same context", { step: 1 }],
      ["another context", { step: "never acknowledged" }],
    ])("saves under an id whose blob, with %s, was left by a save that never ended", (_, context) =>
      onStore(async (bench, storage) => {
        const save: SaveInput = { sessionId: randomIds.sessionId(), checkpointId: randomIds.checkpointId(), context: { step: 1 } };
        await interruptBeforeCommit(storage, { ...save, context });
        expect(await allRecords(storage)).toEqual([]);
        expect(await bench.save(save)).toMatchObject({ status: "saved" });
        expect((await bench.load({ sessionId: save.sessionId })).context).toEqual({ step: 1 });
        expect((await proveStore(storage)).records).toHaveLength(1);
      })(),
    );

    it(
      "saves under an id with a left-over unreadable blob",
      onStore(async (bench, storage) => {
        const save = { sessionId: randomIds.sessionId(), checkpointId: randomIds.checkpointId(), context: { step: 1 } };
        await storage.blobs.put(save, new TextEncoder().encode("torn"));
        await bench.save(save);
        expect((await bench.load({ sessionId: save.sessionId })).context).toEqual({ step: 1 });
      }),
    );

    it(
      "collects the garbage of interrupted saves, and nothing else",
      onStore(async (bench, storage) => {
        const sessionId = randomIds.sessionId();
        for (let step = 1; step <= 3; step++) await bench.save({ sessionId, context: { step } });
        for (let step = 4; step <= 6; step++) await interruptBeforeCommit(storage, { sessionId, context: { step } });
        const before = await proveStore(storage);
        expect(await bench.collectGarbage()).toMatchObject({ blobs: 3 });
        expect(await bench.collectGarbage()).toEqual({ blobs: 0, quarantined: 0, abandoned: 0 });
        expect(await proveStore(storage)).toEqual(before);
      }),
    );

    provided(harness.capabilities.seesBlobs, "blobs that vanish: the catalog does not see the blobs", () => {
      it(
        "stores a blob again that garbage collection removed before the commit",
        onStore(async (_, storage) => {
          let taken = 0;
          const blobs = new Proxy(storage.blobs, {
            get(target, name) {
              if (name === "sharesTransaction") return false;
              if (name !== "put") return bound(target, name);
              return async (...args: Parameters<typeof target.put>) => {
                const ref = await target.put(...args);
                if (ref !== undefined && taken++ === 0) await storage.catalog.reclaim([ref], (each) => target.remove(each));
                return ref;
              };
            },
          });
          const bench = new Workbench(replacing(storage, { blobs }));
          const sessionId = randomIds.sessionId();
          expect(await bench.save({ sessionId, context: { step: 1 } })).toMatchObject({ status: "saved" });
          expect(taken).toBe(2);
          expect((await bench.load({ sessionId })).context).toEqual({ step: 1 });
        }),
      );
    });
  });
}

/** Runs a save up to its commit, which fails. The blob is put before, as large ones are by every store. */
async function interruptBeforeCommit(storage: StorageInUse, input: SaveInput): Promise<void> {
  const catalog = new Proxy(storage.catalog, {
    get: (target, name) => (name === "change" ? () => Promise.reject(new Error("interrupted")) : bound(target, name)),
  });
  const blobs = new Proxy(storage.blobs, { get: (target, name) => (name === "sharesTransaction" ? false : bound(target, name)) });
  await expect(new Workbench(replacing(storage, { catalog, blobs })).save(input)).rejects.toThrow("interrupted");
}

function replacing({ catalog, recovery, blobs, locking }: StorageInUse, parts: Partial<StorageParts>): StorageParts {
  return { catalog, recovery, blobs, locking, ...parts };
}

/** Returns a member bound to its target, so that its private fields are accessible. */
function bound(target: object, name: string | symbol): unknown {
  const member: unknown = Reflect.get(target, name, target);
  return typeof member === "function" ? (...args: readonly unknown[]) => Reflect.apply(member, target, args) : member;
}
