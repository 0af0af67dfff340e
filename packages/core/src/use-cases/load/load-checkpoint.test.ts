import { type BlobStore, type CheckpointId, type CheckpointRecord, type Context, loadCheckpoint } from "../../index.ts";
import { describe, expect, it } from "vitest";
import { aStore, failure, OTHER, S, type TestStore, withAnswers, withMethods } from "../../../../memory/src/testing/a-store.ts";
import { findSession } from "../../catalog/queries/query-sessions.ts";

const NOWHERE = "nowhere" as CheckpointId;

it("loads a checkpoint by its id, and the head by the session id", async () => {
  const { saved, load, loaded, storage } = aStore();
  const first = await saved({ n: 1 });
  const second = await saved({ n: 2 });
  const session = await findSession(storage.catalog, S);
  expect(session?.checkpointCount).toBe(2);
  expect(await load(first.id)).toEqual({ record: first, context: { n: 1 }, contextText: expect.any(Function), fellBackFrom: [], session });
  expect(await load(S)).toEqual({ record: second, context: { n: 2 }, contextText: expect.any(Function), fellBackFrom: [], session });
  expect(loaded).toEqual([first, second]);
});

it.each<[string, Context]>([
  ["key order", { b: 1, a: { d: 1, c: 2 }, 2: "two", 1: "one" }],
  ["lone surrogates", { "\ud800": "\udfff", pair: "😀" }],
  ["keys named __proto__", JSON.parse(`{"__proto__":{"a":1},"x":{"__proto__":null}}`) as Context],
  ["empty keys and values", { "": "", a: {}, b: [], c: null, d: false, e: 0 }],
  ["line separators", { text: "a\u2028b\u2029c\nd\0e" }],
  ["numbers at the edges", { most: Number.MAX_VALUE, least: 5e-324, safe: Number.MAX_SAFE_INTEGER, part: 0.1 + 0.2 }],
])("gives back exactly what was saved: %s", async (_, context) => {
  const { saved, load } = aStore();
  const { id } = await saved(context);
  const loaded = await load(id);
  expect(loaded.context).toEqual(context);
  expect(loaded.contextText()).toBe(JSON.stringify(context));
});

describe("a load is rejected", () => {
  it("unless exactly one id is given", async () => {
    const { ports } = aStore();
    for (const input of [{}, { checkpointId: NOWHERE, sessionId: S }]) {
      await expect(loadCheckpoint(ports, input)).rejects.toMatchObject(failure("INVALID_INPUT"));
    }
  });

  it("when there is no such checkpoint or session", async () => {
    const { load, saved, loaded } = aStore();
    await saved({ n: 1 });
    await expect(load(NOWHERE)).rejects.toMatchObject(failure("CHECKPOINT_NOT_FOUND", { checkpointId: NOWHERE }));
    await expect(load(OTHER)).rejects.toMatchObject(failure("SESSION_NOT_FOUND", { sessionId: OTHER }));
    expect(loaded).toEqual([]);
  });
});

describe("a blob that does not match its record", () => {
  const damage: [string, (bytes: Uint8Array, store: TestStore) => Uint8Array | undefined | Promise<Uint8Array | undefined>][] = [
    ["is missing", () => undefined],
    ["is empty", () => new Uint8Array()],
    ["is cut off", (bytes) => bytes.subarray(0, bytes.length - 9)],
    ["has a flipped bit", (bytes) => bytes.map((byte, index) => (index === 40 ? byte ^ 4 : byte))],
    ["is another checkpoint's", async (_, { saved, disk }) => disk.blobs.get((await saved({ n: 2 }, { sessionId: OTHER })).blob)],
    ["holds something else", (_, { ports }) => ports.codec.encode(Buffer.from(`{"n":1}`))],
  ];
  it.each(damage)("%s: its load fails and names the nearest readable checkpoint, and the session loads that one", async (_, spoil) => {
    const store = aStore();
    const good = await store.saved({ n: 0 });
    const bad = await store.saved({ n: 1 });
    const bytes = await spoil(store.disk.blobs.get(bad.blob) as Uint8Array, store);
    if (bytes === undefined) store.disk.blobs.delete(bad.blob);
    else store.disk.blobs.set(bad.blob, bytes);
    const details = { checkpointId: bad.id, sessionId: S, blobPath: bad.blob, nearestValidId: good.id };
    await expect(store.load(bad.id)).rejects.toMatchObject(failure("CHECKPOINT_CORRUPT", details));
    expect(store.loaded).toEqual([]);
    for (const asked of [S, good.id]) expect((await store.load(asked)).context).toEqual({ n: 0 });
  });

  it("has a newer version: its load fails with UNSUPPORTED_VERSION", async () => {
    const { saved, disk, load, ports } = aStore();
    const { id, blob } = await saved({ n: 1 });
    disk.blobs.set(blob, await ports.codec.encode(Buffer.from(`{"workrail":3}\n`)));
    await expect(load(id)).rejects.toMatchObject(failure("UNSUPPORTED_VERSION"));
  });

  it("decompresses to more than the limit of a context: its load fails with TOO_LARGE", async () => {
    const store = aStore();
    const { id } = await store.saved({ text: "x".repeat(3_000_000) });
    store.ports = { ...store.ports, limits: { ...store.ports.limits, maxContextBytes: 10 } };
    await expect(store.load(id)).rejects.toMatchObject(failure("TOO_LARGE"));
  });
});

describe("a blob that disappears between lookup and read", () => {
  /** Runs a change of the store just before the first read of a blob. */
  function before(store: TestStore, happening: () => Promise<void>): void {
    let isFirst = true;
    const get: BlobStore["get"] = async (ref) => {
      if (isFirst) {
        isFirst = false;
        await happening();
      }
      return store.storage.blobs.get(ref);
    };
    store.ports = { ...store.ports, blobs: withMethods<BlobStore>(store.storage.blobs, { get }) };
  }

  it("makes the load fail with CHECKPOINT_NOT_FOUND when the checkpoint was pruned", async () => {
    const store = aStore({ limits: { maxCheckpoints: 1 } });
    const { id } = await store.saved({ n: 1 });
    before(store, async () => {
      await store.saved({ n: 2 });
      await store.background.idle();
    });
    await expect(store.load(id)).rejects.toMatchObject(failure("CHECKPOINT_NOT_FOUND", { checkpointId: id }));
  });

  it("makes the load of the session return the new head when the head was pruned", async () => {
    const store = aStore({ limits: { maxCheckpoints: 1 } });
    await store.saved({ n: 1 });
    before(store, async () => {
      await store.saved({ n: 2 });
      await store.background.idle();
    });
    expect((await store.load(S)).context).toEqual({ n: 2 });
    expect(store.loaded).toHaveLength(1);
  });

  it("makes the load read the record again when the blob was re-encoded to another size", async () => {
    const store = aStore();
    const record = await store.saved({ n: 1 });
    const bytes = store.disk.blobs.get(record.blob) as Uint8Array;
    const stale: CheckpointRecord = { ...record, blobBytes: record.blobBytes + 1 };
    let looks = 0;
    const catalog = withAnswers(store.storage.catalog, ({ of }, answer) => {
      if (of !== "checkpoint") return answer;
      looks += 1;
      if (looks === 1) return { record: stale };
      store.disk.blobs.set(record.blob, bytes);
      return answer;
    });
    store.disk.blobs.set(record.blob, Buffer.from("not yet what the stale record means"));
    store.ports = { ...store.ports, catalog };
    expect((await store.load(record.id)).context).toEqual({ n: 1 });
  });
});

it("waits while the store is locked exclusively", async () => {
  const { saved, load, ports } = aStore();
  const { id } = await saved({ n: 1 });
  const steps: string[] = [];
  await Promise.all([
    ports.locking.exclusively(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      steps.push("alone");
    }),
    load(id).then(() => steps.push("loaded")),
  ]);
  expect(steps).toEqual(["alone", "loaded"]);
});
