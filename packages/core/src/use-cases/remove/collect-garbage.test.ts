import { gzipSync } from "node:zlib";
import {
  type BlobRef,
  type BlobStore,
  type CatalogPort,
  type CheckpointId,
  collectGarbage,
  finishRemovals,
  repairStore,
  WorkrailError,
} from "../../index.ts";
import { expect, it } from "vitest";
import { aStore, withMethods } from "../../../../memory/src/testing/a-store.ts";
it("removes only blobs that belong to no checkpoint", async () => {
  const store = aStore();
  const record = await store.saved({ n: 1 });
  await store.leaveBlob({ context: { n: 2 }, checkpointId: "left" as CheckpointId });
  expect(await collectGarbage(store.ports)).toEqual({ blobs: 1, quarantined: 0, abandoned: 0 });
  expect([...store.disk.blobs.keys()]).toEqual([record.blob]);
  expect(await collectGarbage(store.ports)).toEqual({ blobs: 0, quarantined: 0, abandoned: 0 });
});

it("runs in a repair only on request", async () => {
  const store = aStore();
  const record = await store.saved({ n: 1 });
  await store.leaveBlob({ context: { n: 2 }, checkpointId: "left" as CheckpointId });
  const { orphans, advice, garbage } = await repairStore(store.ports);
  expect({ orphans: orphans.length, advice, garbage }).toEqual({
    orphans: 1,
    advice: [expect.stringContaining("`workrail repair --collect-garbage`")],
    garbage: undefined,
  });
  expect((await repairStore(store.ports, { collectGarbage: true, dryRun: true })).garbage).toBeUndefined();
  const interrupted = await repairStore(store.ports, { collectGarbage: true, signal: { aborted: true } });
  expect(interrupted.garbage).toBeUndefined();
  expect(store.disk.blobs.size).toBe(2);
  const report = await repairStore(store.ports, { collectGarbage: true });
  expect(report).toMatchObject({ advice: [], garbage: { blobs: 1, quarantined: 0, abandoned: 0 } });
  expect([...store.disk.blobs.keys()]).toEqual([record.blob]);
});

it("handles any number of blobs", async () => {
  const store = aStore();
  const record = await store.saved({ n: 1 });
  const bytes = store.disk.blobs.get(record.blob) as Uint8Array;
  for (let n = 0; n < 250; n++) store.disk.blobs.set(`memory:s1/left-${n}` as BlobRef, bytes);
  expect(await collectGarbage(store.ports)).toMatchObject({ blobs: 250 });
  expect([...store.disk.blobs.keys()]).toEqual([record.blob]);
});

it("quarantines unreadable blobs without a checkpoint, since their content is unknown", async () => {
  const store = aStore();
  const record = await store.saved({ n: 1 });
  const newer = gzipSync('{"workrail":99,"check":"","envelope":{}}\n');
  for (const [name, bytes] of Object.entries({ torn: new Uint8Array([31, 139]), newer }))
    store.disk.blobs.set(`memory:s1/${name}` as BlobRef, bytes);
  expect(await collectGarbage(store.ports)).toEqual({ blobs: 0, quarantined: 2, abandoned: 0 });
  expect([...store.disk.blobs.keys()]).toEqual([record.blob]);
  expect([...store.disk.quarantine.keys()]).toEqual(["quarantine/memory:s1/torn", "quarantine/memory:s1/newer"]);
});

it("leaves blobs with read errors, counts them, and continues with the rest", async () => {
  const store = aStore();
  const record = await store.saved({ n: 1 });
  for (const id of ["a", "b", "c"]) await store.leaveBlob({ context: { id }, checkpointId: id as CheckpointId });
  const lost = new WorkrailError("STORAGE_UNAVAILABLE", "It cannot be read.", { details: { reason: "input-output", code: "EIO" } });
  const { blobs } = store.storage;
  const get: BlobStore["get"] = async (ref) => {
    if (ref.endsWith("/b")) throw lost;
    return blobs.get(ref);
  };
  const list: BlobStore["list"] = async function* (onUnreadable) {
    if (onUnreadable === undefined) throw lost;
    onUnreadable({ ref: "memory:closed" as BlobRef, error: lost });
    yield* blobs.list();
  };
  const report = await collectGarbage({ ...store.ports, blobs: withMethods<BlobStore>(blobs, { get, list }) });
  expect(report).toEqual({ blobs: 2, quarantined: 0, unreadable: 2, abandoned: 0 });
  expect([...store.disk.blobs.keys()]).toEqual([record.blob, "memory:s1/b"]);
  expect(await collectGarbage(store.ports)).toEqual({ blobs: 1, quarantined: 0, abandoned: 0 });
});

it("completes removals that were committed but not executed", async () => {
  const store = aStore({ limits: { maxCheckpoints: 1 } });
  store.ports = { ...store.ports, background: { run: () => {} } };
  await store.saved({ n: 1 });
  const { blob } = await store.saved({ n: 2 });
  expect(store.disk.blobs.size).toBe(2);
  expect(await finishRemovals(store.ports)).toBe(1);
  expect([...store.disk.blobs.keys()]).toEqual([blob]);
  expect(await finishRemovals(store.ports)).toBe(0);
});

it("counts temporary files of interrupted writes", async () => {
  const store = aStore();
  store.storage.blobs.removeAbandoned = async () => 3;
  expect(await collectGarbage(store.ports)).toEqual({ blobs: 0, quarantined: 0, abandoned: 3 });
});

it("removes the blob of a concurrent save only before its commit, and the save writes it again", async () => {
  const store = aStore();
  let collected = 0;
  const change: CatalogPort["change"] = async (rule) => {
    if (collected === 0) collected = (await collectGarbage({ ...store.ports, catalog: store.storage.catalog })).blobs;
    return store.storage.catalog.change(rule);
  };
  store.ports = { ...store.ports, catalog: withMethods<CatalogPort>(store.storage.catalog, { change }) };
  const { id } = await store.saved({ n: 1 });
  expect(collected).toBe(1);
  expect((await store.load(id)).context).toEqual({ n: 1 });
});
