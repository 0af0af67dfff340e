import type { Context, SaveInput, StorageInUse } from "@workrail/core";
import { describe, expect, it } from "vitest";
import type { StorageHarness } from "../harness.ts";
import { allRecords, proveStore } from "../prove-store.ts";
import { provided, withStore } from "../store-under-test.ts";
import { randomIds } from "../environment.ts";
import { codeOf, type StorageParts, Workbench } from "../workbench.ts";

/** Tests lost answers, repeated saves, moved heads, and missing or left-over blobs. */
export function describeRetries(harness: StorageHarness): void {
  const onStore = (test: (bench: Workbench, storage: StorageInUse) => Promise<void>) => () =>
    withStore(harness, ({ storage }) => test(new Workbench(storage), storage));

  describe("retries", () => {
    it(
      "skips what the head already holds, unless forced or of a kind that always creates",
      onStore(async (bench, storage) => {
        const save = { sessionId: randomIds.sessionId(), context: { step: 1 } };
        const { record } = await bench.save(save);
        expect(await bench.save(save)).toMatchObject({ status: "unchanged", record: { id: record.id } });
        const forced = await bench.save({ ...save, force: true });
        expect(forced).toMatchObject({ status: "saved", record: { sequence: 2, parentId: record.id } });
        expect(await bench.save({ ...save, kind: "project" })).toMatchObject({ status: "saved", record: { sequence: 3 } });
        expect(await allRecords(storage)).toHaveLength(3);
      }),
    );

    it(
      "answers a repeated compare-and-swap as unchanged, and another's as a conflict",
      onStore(async (bench, storage) => {
        const sessionId = randomIds.sessionId();
        const first = await bench.save({ sessionId, context: { step: 1 }, expectedParentId: null });
        const save: SaveInput = { sessionId, context: { step: 2 }, expectedParentId: first.record.id };
        const second = await bench.save(save);
        expect(await bench.save(save)).toMatchObject({ status: "unchanged", record: { id: second.record.id } });
        expect(await codeOf(bench.save({ ...save, context: { step: "other" } }))).toBe("CONFLICT");
        expect((await bench.load({ sessionId })).context).toEqual({ step: 2 });
        expect(await allRecords(storage)).toHaveLength(2);
      }),
    );

    it(
      "answers a repeated save under the caller's own id as unchanged, and another content as a conflict",
      onStore(async (bench) => {
        const save: SaveInput = { sessionId: randomIds.sessionId(), checkpointId: randomIds.checkpointId(), context: { step: 1 } };
        const first = await bench.save(save);
        await bench.save({ sessionId: save.sessionId, context: { step: 2 } });
        expect(await bench.save(save)).toMatchObject({ status: "unchanged", record: { id: first.record.id } });
        expect(await codeOf(bench.save({ ...save, context: { step: 3 } }))).toBe("CONFLICT");
        expect(await codeOf(bench.save({ ...save, sessionId: randomIds.sessionId() }))).toBe("CONFLICT");
      }),
    );

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

/** Runs a save up to its commit, which fails. */
async function interruptBeforeCommit(storage: StorageInUse, input: SaveInput): Promise<void> {
  const catalog = new Proxy(storage.catalog, {
    get: (target, name) => (name === "commit" ? () => Promise.reject(new Error("interrupted")) : bound(target, name)),
  });
  await expect(new Workbench(replacing(storage, { catalog })).save(input)).rejects.toThrow("interrupted");
}

function replacing({ catalog, recovery, blobs, locking }: StorageInUse, parts: Partial<StorageParts>): StorageParts {
  return { catalog, recovery, blobs, locking, ...parts };
}

/** Returns a member bound to its target, so that its private fields are accessible. */
function bound(target: object, name: string | symbol): unknown {
  const member: unknown = Reflect.get(target, name, target);
  return typeof member === "function" ? (...args: readonly unknown[]) => Reflect.apply(member, target, args) : member;
}
