import {
  type BlobRef,
  type CatalogPort,
  type CheckpointId,
  type CheckpointRecord,
  type NewRecord,
  commit,
  reclaimBlobs,
  findSession,
  findCheckpoint,
  findHead,
} from "@workrail/core";
import { aRecord } from "@workrail/storage-conformance/builders";
import { storageInUse } from "@workrail/storage-conformance/harness";
import { beforeEach, describe, expect, it } from "vitest";
import { MemoryDisk } from "./memory-disk.ts";
import { openMemoryStorage } from "./open-memory-storage.ts";
import { S } from "./testing/a-store.ts";

let disk: MemoryDisk;
let catalog: CatalogPort;

beforeEach(() => {
  disk = new MemoryDisk();
  catalog = storageInUse(openMemoryStorage({ disk })).catalog;
});

function record(id: string, given: Partial<NewRecord> = {}): NewRecord {
  return aRecord({ id: id as CheckpointId, sessionId: S, blob: `blob-${id}` as BlobRef, ...given });
}

async function append(given: NewRecord, keepNewest?: number) {
  disk.blobs.set(given.blob, new Uint8Array(given.blobBytes));
  return catalog.change(commit({ append: { record: given, unlessHeadIs: undefined, expectedHead: undefined, keepNewest }, audit: [] }));
}

/** Returns the refs removed by a reclaim of all or of the given refs. */
async function reclaimed(refs?: string[]): Promise<string[]> {
  const asked: string[] = [];
  const removed = await reclaimBlobs(catalog, refs as BlobRef[] | undefined, async (needless) => void asked.push(...needless));
  expect(asked).toEqual(removed);
  return asked;
}

function edge(dependent: string, base: string) {
  return { dependent: dependent as CheckpointId, base: base as CheckpointId };
}

it("copies its inputs and outputs", async () => {
  const given = record("a", { tags: ["t"], attributes: { list: [1] }, createdAt: new Date(0) });
  await append(given);
  (given.tags as string[]).push("u");
  (given.attributes["list"] as number[]).push(2);
  given.createdAt.setTime(1);
  const found = (await findCheckpoint(catalog, given.id)) as CheckpointRecord;
  expect(found).toMatchObject({ tags: ["t"], attributes: { list: [1] }, createdAt: new Date(0) });
  (found.tags as string[]).push("v");
  found.lastAccessedAt.setTime(9);
  expect(await findHead(catalog, S)).toMatchObject({ tags: ["t"], lastAccessedAt: new Date(0) });
});

it("keeps attributes named __proto__", async () => {
  const attributes = JSON.parse(`{"__proto__":{"a":1}}`) as NewRecord["attributes"];
  await append(record("a", { attributes }));
  expect(JSON.stringify((await findCheckpoint(catalog, "a" as CheckpointId))?.attributes)).toBe(`{"__proto__":{"a":1}}`);
});

it("only advances access times, and skips unknown checkpoints", async () => {
  await append(record("a", { createdAt: new Date(1_000) }));
  const accesses = [5_000, 2_000].map((time) => ({ checkpointId: "a" as CheckpointId, at: new Date(time) }));
  await catalog.change(commit({ accesses: [...accesses, { checkpointId: "gone" as CheckpointId, at: new Date(9_000) }], audit: [] }));
  expect(await findCheckpoint(catalog, "a" as CheckpointId)).toMatchObject({ lastAccessedAt: new Date(5_000) });
  expect(await findSession(catalog, S)).toMatchObject({ lastAccessedAt: new Date(5_000) });
});

describe("reclaiming", () => {
  it("keeps the blob of a removed checkpoint while another depends on it", async () => {
    await append(record("base"));
    await append(record("dependent"));
    await catalog.change(commit({ edges: { add: [edge("dependent", "base")], drop: [] }, audit: [] }));
    await append(record("c"), 2);
    expect(await reclaimed()).toEqual([]);
    expect(await reclaimed(["blob-base", "blob-dependent", "blob-unknown"])).toEqual(["blob-unknown"]);
    await catalog.change(commit({ edges: { add: [], drop: [edge("dependent", "base")] }, audit: [] }));
    expect(await reclaimed()).toEqual(["blob-base"]);
    expect(await reclaimed()).toEqual([]);
  });

  it("removes a chain of bases together once the last dependent is removed", async () => {
    for (const id of ["a", "b", "c"]) await append(record(id));
    await catalog.change(commit({ edges: { add: [edge("b", "a"), edge("c", "b")], drop: [] }, audit: [] }));
    await append(record("d"), 2);
    expect(await reclaimed()).toEqual([]);
    await append(record("e"), 1);
    expect((await reclaimed()).toSorted()).toEqual(["blob-a", "blob-b", "blob-c", "blob-d"]);
  });

  it("remembers a removal that failed", async () => {
    await append(record("a"));
    await append(record("b"), 1);
    const failing = reclaimBlobs(catalog, undefined, () => Promise.reject(new Error("busy")));
    await expect(failing).rejects.toThrow("busy");
    expect(await reclaimed()).toEqual(["blob-a"]);
  });

  it("blocks commits until it is done", async () => {
    const steps: string[] = [];
    const reclaiming = reclaimBlobs(catalog, ["blob-a" as BlobRef], async () => {
      await new Promise((resolve) => setImmediate(resolve));
      steps.push("removed");
    });
    const committing = append(record("a")).then(() => steps.push("committed"));
    await Promise.all([reclaiming, committing]);
    expect(steps).toEqual(["removed", "committed"]);
  });

  it("keeps the blob of an id that was removed and appended again, and drops its tombstone", async () => {
    await append(record("a"));
    await append(record("b"), 1);
    expect(disk.sessionFacts.get(S)?.tombstones).toEqual(["a"]);
    await append(record("a"));
    expect(disk.sessionFacts.get(S)?.tombstones).toEqual([]);
    expect(await reclaimed()).toEqual([]);
    expect(await reclaimed(["blob-a"])).toEqual([]);
  });
});

it("keeps tombstones until the first change after the blob is deleted, and the oldest remaining position", async () => {
  for (const id of ["a", "b", "c"]) await append(record(id), 1);
  expect(disk.sessionFacts.get(S)).toMatchObject({ tombstones: ["a", "b"], oldestLive: "c" });
  await reclaimed(["blob-a"]);
  await catalog.change(commit({ pins: { sessionId: S, pin: ["p"], release: [] }, audit: [] }));
  expect(disk.sessionFacts.get(S)).toMatchObject({ tombstones: ["b"], oldestLive: "c" });
});

it("records the writer of a save in the audit row of the removals it caused", async () => {
  await append(record("a"));
  await append(record("b", { agentId: "agent", createdAt: new Date(7) }), 1);
  expect(disk.catalog.audit).toMatchObject([{ at: new Date(7), action: "prune", sessionId: S, checkpointId: "a", agentId: "agent" }]);
});
