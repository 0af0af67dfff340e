import {
  type BlobRef,
  type CheckpointId,
  type CheckpointRecord,
  type Codec,
  collectGarbage,
  compactSession,
  type Context,
  rebuildCatalog,
  verifyStore,
  WorkrailError,
} from "../../index.ts";
import { describe, expect, it } from "vitest";
import { aStore, S, type TestStore, withMethods } from "../../../../memory/src/testing/a-store.ts";
import { findCheckpoint, queryCheckpoints } from "../../catalog/queries/query-checkpoints.ts";
import { findSession } from "../../catalog/queries/query-sessions.ts";
import type { CatalogPort } from "../../catalog/catalog-port.ts";
import { mapped, nothing, type Rule } from "../../catalog/rule.ts";
import { changesOf } from "../../catalog/rows.ts";

/** Returns a context with a growing history, and a text that repeats a part of it. */
function contextAt(step: number): Context {
  const history = Array.from({ length: step + 20 }, (_, index) => ({ index, observation: `observation ${index}: ${noise(index)}` }));
  return { goal: "fix it", step, history, last: history.at(-1)?.observation ?? "" };
}

/** Returns text that hardly compresses, deterministic by seed. */
function noise(seed: number): string {
  let state = seed + 1;
  return Array.from({ length: 60 }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state.toString(36);
  }).join(" ");
}

async function grown(steps: number, store: TestStore = aStore()): Promise<{ store: TestStore; ids: CheckpointId[] }> {
  const ids: CheckpointId[] = [];
  for (let step = 1; step <= steps; step++) ids.push((await store.saved(contextAt(step))).id);
  return { store, ids };
}

/** Returns a context that no other helps to store. */
function unrelated(step: number): Context {
  return { [`only ${step}`]: [noise(step * 1_000), noise(step * 1_000 + 1)] };
}

const PADDING = Buffer.alloc(300, 1);

/** Like a codec that saves in a hurry: its bytes end with padding, which goes when there is time. */
function hastyCodec(codec: Codec): Codec {
  const withoutPadding = (bytes: Uint8Array) => (bytes.at(-1) === 1 ? bytes.subarray(0, -PADDING.length) : undefined);
  return {
    ...codec,
    encode: async (bytes) => Buffer.concat([await codec.encode(bytes), PADDING]),
    decode: (bytes, maxBytes) => codec.decode(withoutPadding(bytes) ?? bytes, maxBytes),
    repack: async (bytes) => withoutPadding(bytes),
  };
}

async function compacted(store: TestStore): Promise<void> {
  while ((await compactSession(store.ports, S)).hasMore);
}

async function recordsOf(store: TestStore): Promise<CheckpointRecord[]> {
  const { records } = await queryCheckpoints(store.storage.catalog, { filter: { sessionId: S }, limit: 1_000, offset: 0 });
  return records.toReversed();
}

async function expectAllBack(store: TestStore, ids: readonly CheckpointId[], first = 1): Promise<void> {
  for (const [index, id] of ids.entries()) {
    expect((await store.load(id)).contextText()).toBe(JSON.stringify(contextAt(first + index)));
  }
}

describe("compaction", () => {
  it("creates no cycle of deltas, even after a rebuild that reversed the order of two checkpoints", async () => {
    const { store, ids } = await grown(6);
    await compacted(store);
    const [first, second, third, ...rest] = await recordsOf(store);
    const whole = rest.find(({ baseId }) => baseId === null) as CheckpointRecord;
    const others = rest.filter((record) => record !== whole);
    const audit = { at: new Date(), action: "rebuild", sessionId: undefined, checkpointId: undefined, agentId: undefined } as const;
    const order = [whole, third, second, first, ...others] as CheckpointRecord[];
    await store.storage.locking.exclusively(() => store.storage.recovery.refill(order, [], audit));
    for (let step = 7; step <= 9; step++) ids.push((await store.saved(contextAt(step))).id);
    await compacted(store);
    expect((await recordsOf(store)).map(({ id }) => id)).toContain(whole.id);
    await expectAllBack(store, ids);
  });

  it("keeps the newest two whole, stores the others as deltas, and loads every one exactly", async () => {
    const { store, ids } = await grown(12);
    const before = (await recordsOf(store)).map((record) => record.blobBytes);
    await compacted(store);
    const records = await recordsOf(store);
    expect(records.slice(-2).map((record) => record.baseId)).toEqual([null, null]);
    expect(records.filter((record) => record.baseId !== null).length).toBeGreaterThanOrEqual(8);
    expect(records.map(({ baseId }, index) => baseId === null || baseId === ids[index + 1])).toEqual(ids.map(() => true));
    const after = records.map((record) => record.blobBytes);
    expect(sum(after)).toBeLessThan(sum(before) * 0.6);
    expect((await findSession(store.storage.catalog, S))?.totalSizeBytes).toBe(sum(after));
    await expectAllBack(store, ids);
  });

  it("does a bounded amount of work per call, and reports remaining work", async () => {
    const { store } = await grown(12);
    const first = await compactSession(store.ports, S, { maxSteps: 3 });
    expect(first).toMatchObject({ reencoded: 3, hasMore: true });
    await compacted(store);
    expect(await compactSession(store.ports, S)).toEqual({ reencoded: 0, savedBytes: 0, hasMore: false });
  });

  it("keeps one whole when the deltas since the last whole one are larger", async () => {
    const store = aStore();
    const constant = Array.from({ length: 20 }, (_, index) => noise(index));
    const saved = [];
    for (let step = 1; step <= 60; step++) saved.push(await store.saved({ step, constant }));
    await compacted(store);
    const whole = (await recordsOf(store)).slice(0, -2).filter((record) => record.baseId === null);
    expect(whole.length).toBeGreaterThan(1);
    expect(whole.length).toBeLessThan(20);
    for (const [index, { id }] of saved.entries()) {
      expect((await store.load(id)).contextText()).toBe(JSON.stringify({ step: index + 1, constant }));
    }
  });

  it("repacks whole checkpoints, the newest two only at rest, and does not change unreadable ones", async () => {
    const store = aStore();
    store.ports = { ...store.ports, codec: hastyCodec(store.ports.codec) };
    const ids: CheckpointId[] = [];
    for (let step = 0; step < 6; step++) ids.push((await store.saved(unrelated(step))).id);
    const before = await recordsOf(store);
    const damaged = before[0] as CheckpointRecord;
    const broken = Buffer.concat([Buffer.from("no checkpoint"), PADDING]);
    store.disk.blobs.set(damaged.blob, broken);

    const expectReadable = async (): Promise<void> => {
      for (let step = 1; step < ids.length; step++) {
        expect((await store.load(ids[step] as CheckpointId)).contextText()).toBe(JSON.stringify(unrelated(step)));
      }
    };

    expect(await compactSession(store.ports, S)).toEqual({ reencoded: 3, savedBytes: 3 * PADDING.length, hasMore: false });

    const lost = (await recordsOf(store)).map((record, index) => (before[index]?.blobBytes ?? 0) - record.blobBytes);
    expect(lost).toEqual([0, 300, 300, 300, 0, 0]);
    expect(store.disk.blobs.get(damaged.blob)).toEqual(broken);
    await expectReadable();

    expect(await compactSession(store.ports, S, { atRest: true })).toMatchObject({ reencoded: 2 });
    expect(await compactSession(store.ports, S, { atRest: true })).toMatchObject({ reencoded: 0 });
    await expectReadable();
    expect(await verifyStore(store.ports, { changesNothing: true })).toMatchObject({ findings: [{ checkpointId: damaged.id }] });
  });

  it("continues after each save", async () => {
    const { store, ids } = await grown(5);
    for (let step = 6; step <= 40; step++) {
      ids.push((await store.saved(contextAt(step))).id);
      await compactSession(store.ports, S);
    }
    expect((await recordsOf(store)).slice(0, -2).filter((record) => record.baseId !== null).length).toBeGreaterThan(25);
    await expectAllBack(store, ids);
  });

  it("allows pruning of the oldest without changes to the others", async () => {
    const store = aStore({ limits: { maxCheckpoints: 10 } });
    const ids: CheckpointId[] = [];
    for (let step = 1; step <= 30; step++) {
      ids.push((await store.saved(contextAt(step))).id);
      await compactSession(store.ports, S);
    }
    await store.background.idle();
    expect(store.disk.blobs.size).toBe(10);
    await expectAllBack(store, ids.slice(-10), 21);
  });

  it("keeps a checkpoint whole that is unrelated to its successor, and does not retry it", async () => {
    const store = aStore();
    for (let step = 1; step <= 6; step++) await store.saved({ [`only ${step}`]: [noise(step * 1_000), noise(step * 2_000)] });
    const givenUp = new Set<CheckpointId>();
    expect(await compactSession(store.ports, S, { givenUp })).toMatchObject({ reencoded: 0 });
    expect(givenUp.size).toBe(4);
  });

  it("does not read blobs that are too small to gain from a delta", async () => {
    const store = aStore();
    for (let step = 1; step <= 6; step++) await store.saved({ step });
    const get = (): Promise<never> => Promise.reject(new Error("was read"));
    const report = await compactSession({ ...store.ports, blobs: withMethods(store.ports.blobs, { get }) }, S);
    expect(report).toEqual({ reencoded: 0, savedBytes: 0, hasMore: false });
  });

  it("commits the edges of several deltas in one transaction, before the first file is replaced", async () => {
    const { store } = await grown(12);
    const { catalog } = store.ports;
    const done: string[] = [];
    const change: CatalogPort["change"] = (rule) => {
      const told = mapped(rule, (decision) => {
        done.push(decision.blobs === undefined ? `${changesOf("edge", decision.rows).length} edges` : "replaced");
        return decision;
      });
      return catalog.change(told);
    };
    await compactSession({ ...store.ports, catalog: withMethods(catalog, { change }) }, S);
    expect(done).toEqual(["4 edges", "replaced", "replaced", "replaced", "replaced"]);
  });

  it("neither changes asides nor uses them as a base", async () => {
    const { store, ids } = await grown(3);
    const aside = await store.saved(contextAt(50), { kind: "aside" });
    for (let step = 4; step <= 8; step++) ids.push((await store.saved(contextAt(step))).id);
    await compacted(store);
    expect((await findCheckpoint(store.storage.catalog, aside.id))?.baseId).toBeNull();
    expect((await recordsOf(store)).every((record) => record.baseId !== aside.id)).toBe(true);
    await expectAllBack(store, ids);
  });

  it("survives a rebuild, including the canonical digests", async () => {
    const { store, ids } = await grown(25);
    await compacted(store);
    const before = await recordsOf(store);
    store.disk.loseCatalog();
    expect(await rebuildCatalog(store.ports)).toMatchObject({ checkpoints: 25, unreadable: [] });
    const timeless = (record: CheckpointRecord): unknown => ({ ...record, lastAccessedAt: undefined });
    expect((await recordsOf(store)).map(timeless)).toEqual(before.map(timeless));
    await expectAllBack(store, ids);
    expect((await collectGarbage(store.ports)).blobs).toBe(0);
    expect(await store.save(contextAt(25))).toMatchObject({ status: "unchanged" });
  });

  it("lets a rebuild report its progress: each blob is read, and connected ones once more", async () => {
    const { store } = await grown(6);
    await compacted(store);
    const inChains = (await recordsOf(store)).filter(({ baseId }) => baseId !== null).length + 1;
    expect(inChains).toBeGreaterThan(2);
    const told: string[] = [];
    store.disk.loseCatalog();
    await rebuildCatalog(store.ports, { onProgress: ({ phase, done, total }) => told.push(`${phase} ${done}/${total}`) });
    const counted = (phase: string, total: number): string[] =>
      Array.from({ length: total }, (_, index) => `${phase} ${index + 1}/${total}`);
    expect(told).toEqual([...counted("read", 6), ...counted("prove", inChains)]);
  });

  it("lets a rebuild name the dependents of a damaged blob, and restore the rest", async () => {
    const { store, ids } = await grown(12);
    await compacted(store);
    const records = await recordsOf(store);
    const damaged = records[5] as CheckpointRecord;
    expect(damaged.baseId).not.toBeNull();
    store.disk.blobs.set(damaged.blob, new Uint8Array([1, 2, 3]));
    store.disk.loseCatalog();
    const report = await rebuildCatalog(store.ports);
    expect(report.checkpoints + report.unreadable.length).toBe(12);
    expect(report.unreadable.map(({ ref }) => ref)).toContain(damaged.blob);
    expect((await store.load(ids[11] as CheckpointId)).contextText()).toBe(JSON.stringify(contextAt(12)));
    expect((await store.load(ids[6] as CheckpointId)).contextText()).toBe(JSON.stringify(contextAt(7)));
  });
});

describe("a load during compaction", () => {
  it("names the missing blob when a base is missing", async () => {
    const { store, ids } = await grown(6);
    await compacted(store);
    store.disk.blobs.delete((await recordsOf(store))[3]?.blob as BlobRef);
    await expect(store.load(ids[0] as CheckpointId)).rejects.toMatchObject({ code: "CHECKPOINT_CORRUPT" });
    expect((await store.load(ids[5] as CheckpointId)).contextText()).toBe(JSON.stringify(contextAt(6)));
  });

  it("never returns a wrong value when a delta belongs to another checkpoint", async () => {
    const { store, ids } = await grown(6);
    await compacted(store);
    const [first, second] = await recordsOf(store);
    store.disk.blobs.set(first?.blob as BlobRef, store.disk.blobs.get(second?.blob as BlobRef) as Uint8Array);
    await expect(store.load(ids[0] as CheckpointId)).rejects.toMatchObject({ code: "CHECKPOINT_CORRUPT" });
  });

  it("reads a blob at any moment of its re-encoding", async () => {
    const { store, ids } = await grown(8);
    const { blobs } = store.ports;
    const replace = async (ref: BlobRef, bytes: Uint8Array): Promise<void> => {
      await expectAllBack(store, ids);
      await blobs.replace(ref, bytes);
      await expectAllBack(store, ids);
    };
    while ((await compactSession({ ...store.ports, blobs: withMethods(blobs, { replace }) }, S)).hasMore);
    expect((await recordsOf(store)).some((record) => record.baseId !== null)).toBe(true);
  });
});

describe("compaction that is interrupted", () => {
  const crash = new Error("crashed");

  it.each(["before the file is replaced", "after the file is replaced"])(
    "%s leaves everything readable, and is done again",
    async (moment) => {
      const { store, ids } = await grown(8);
      const { blobs } = store.ports;
      const replace = async (ref: BlobRef, bytes: Uint8Array): Promise<void> => {
        if (moment.startsWith("after")) await blobs.replace(ref, bytes);
        throw crash;
      };
      await expect(compactSession({ ...store.ports, blobs: withMethods(blobs, { replace }) }, S)).rejects.toBe(crash);
      await expectAllBack(store, ids);
      expect((await collectGarbage(store.ports)).blobs).toBe(0);
      await compacted(store);
      await expectAllBack(store, ids);
      store.disk.loseCatalog();
      await rebuildCatalog(store.ports);
      await expectAllBack(store, ids);
    },
  );

  it.each(["before the file is replaced", "after the file is replaced"])(
    "%s by a repacked one leaves everything readable, and the record is corrected",
    async (moment) => {
      const store = aStore();
      store.ports = { ...store.ports, codec: hastyCodec(store.ports.codec) };
      const ids: CheckpointId[] = [];
      for (let step = 0; step < 4; step++) ids.push((await store.saved(unrelated(step))).id);
      const { blobs } = store.ports;
      const replace = async (ref: BlobRef, bytes: Uint8Array): Promise<void> => {
        if (moment.startsWith("after")) await blobs.replace(ref, bytes);
        throw crash;
      };
      await expect(compactSession({ ...store.ports, blobs: withMethods(blobs, { replace }) }, S)).rejects.toBe(crash);
      const expectAll = async (): Promise<void> => {
        for (const [step, id] of ids.entries()) expect((await store.load(id)).contextText()).toBe(JSON.stringify(unrelated(step)));
      };
      await expectAll();
      await compacted(store);
      expect(await verifyStore(store.ports)).toMatchObject({ findings: [] });
      const sizes = (await recordsOf(store)).map(({ blob, blobBytes }) => blobBytes - (store.disk.blobs.get(blob)?.length ?? 0));
      expect(sizes).toEqual([0, 0, 0, 0]);
      await expectAll();
    },
  );

  it("stops at a checkpoint that changed meanwhile", async () => {
    const { store, ids } = await grown(5);
    const { catalog } = store.ports;
    const change: CatalogPort["change"] = <Out>(rule: Rule<Out>) => {
      return catalog.change(mapped(rule, (decision) => (decision.blobs === undefined ? decision : nothing(false as Out))));
    };
    expect(await compactSession({ ...store.ports, catalog: withMethods(catalog, { change }) }, S)).toMatchObject({ reencoded: 0 });
    await expectAllBack(store, ids);
  });

  it("passes on errors of the store", async () => {
    const { store } = await grown(5);
    const unavailable = new WorkrailError("STORAGE_UNAVAILABLE", "no disk");
    const get = (): Promise<never> => Promise.reject(unavailable);
    await expect(compactSession({ ...store.ports, blobs: withMethods(store.ports.blobs, { get }) }, S)).rejects.toBe(unavailable);
  });
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
