import {
  type CatalogPort,
  type ChainedStorage,
  chained,
  type CheckpointId,
  type CheckpointRecord,
  type PageCursor,
  type SessionId,
  WorkrailError,
  findSession,
  queryTrash,
  sumUsage,
  findHead,
  findCheckpoint,
  queryCheckpoints,
  commit,
  querySessions,
} from "@workrail/core";
import { MemoryDisk, openMemoryStorage } from "@workrail/memory";
import { aRecord } from "@workrail/storage-conformance/builders";
import { describe, expect, it } from "vitest";
import { nodeDigests } from "../environment.ts";
import { RetainedMemory } from "./retained-memory.ts";
import { standInStorage } from "./stand-in-storage.ts";

const S = "session" as SessionId;
const AT = new Date("2026-01-01T00:00:00.000Z");
const LATER = new Date("2026-02-01T00:00:00.000Z");

/** A stand-in over a store with the checkpoints `d1` to `d3`. Set `failure` to make the store unreadable. */
async function aStandIn() {
  const disk = new MemoryDisk();
  const raw = chained(openMemoryStorage({ disk }), (text) => nodeDigests.sha256(text));
  const below = { ...raw, failure: undefined as WorkrailError | undefined };
  const catalog: CatalogPort = {
    read: (reads) => (below.failure === undefined ? raw.catalog.read(reads) : Promise.reject(below.failure)),
    change: (rule) => (below.failure === undefined ? raw.catalog.change(rule) : Promise.reject(below.failure)),
  };
  const memory = new RetainedMemory();
  const storage = standInStorage(memory, async () => ({ ...raw, catalog }));
  const standIn = chained(storage, (text) => nodeDigests.sha256(text));
  const store = raw;
  const append = async (into: ChainedStorage, id: string, createdAt = AT): Promise<CheckpointRecord> => {
    const blob = await into.blobs.put({ sessionId: S, checkpointId: id as CheckpointId }, new Uint8Array(10));
    if (blob === undefined) throw new Error("There is such a blob.");
    const record = aRecord({ id: id as CheckpointId, sessionId: S, blob, blobBytes: 10, createdAt });
    const terms = { unlessHeadIs: undefined, expectedHead: undefined, keepNewest: undefined };
    const outcome = await into.catalog.change(commit({ append: { record, ...terms }, audit: [] }));
    if (outcome.status !== "committed" || outcome.record === undefined) throw new Error(`It is ${outcome.status}.`);
    return outcome.record;
  };
  for (const id of ["d1", "d2", "d3"]) await append(store, id);
  return { disk, below, memory, store, standIn, append: (id: string, createdAt?: Date) => append(standIn, id, createdAt) };
}

const UNREADABLE = new WorkrailError("STORAGE_UNAVAILABLE", "It cannot be read.", { details: { reason: "input-output" } });

describe("a catalog of memory over the disk", () => {
  it("continues the sequence and the head of a session, and changes nothing on the disk", async () => {
    const { disk, standIn, append } = await aStandIn();
    const before = structuredClone(disk.catalog.content);
    expect((await append("m1")).sequence).toBe(4);
    expect((await append("m2", LATER)).sequence).toBe(5);
    await standIn.catalog.change(commit({ pins: { sessionId: S, pin: ["plan"], release: [] }, audit: [] }));
    await standIn.catalog.change(commit({ shields: [{ checkpointId: "m1" as CheckpointId, until: LATER }], audit: [] }));
    await standIn.catalog.change(commit({ accesses: [{ checkpointId: "d1" as CheckpointId, at: LATER }], audit: [] }));
    expect(disk.catalog.content).toEqual(before);
    expect((await findHead(standIn.catalog, S))?.id).toBe("m2");
    expect((await findCheckpoint(standIn.catalog, "m1" as CheckpointId))?.shieldedUntil).toEqual(LATER);
    const session = { checkpointCount: 5, totalSizeBytes: 50, pins: ["plan"], lastAccessedAt: LATER };
    expect(await findSession(standIn.catalog, S)).toMatchObject(session);
    expect((await querySessions(standIn.catalog, { limit: 10 })).sessions).toMatchObject([{ checkpointCount: 5, pins: ["plan"] }]);
  });

  it("lists memory and disk as one, from page to page", async () => {
    const { standIn, append } = await aStandIn();
    await append("m1");
    await append("m2");
    for (const filter of [{}, { sessionId: S }]) {
      const found: string[] = [];
      let after: PageCursor | undefined;
      do {
        const page = await queryCheckpoints(standIn.catalog, { filter, limit: 2, offset: 0, after });
        expect(page.total).toBe(5);
        found.push(...page.records.map(({ id }) => id));
        after = page.next;
      } while (after !== undefined);
      expect(found).toEqual(["m2", "m1", "d3", "d2", "d1"]);
    }
  });

  it("gives other changes to the disk, which may refuse them", async () => {
    const { below, store, standIn, append } = await aStandIn();
    await append("m1");
    const tag = () => standIn.catalog.change(commit({ tags: { sessionId: S, add: ["tag"], remove: [] }, audit: [] }));
    await tag();
    expect((await findSession(store.catalog, S))?.tags).toEqual(["tag"]);
    const checkpoints = ["d1", "m1"] as CheckpointId[];
    const move = { sessionId: S, checkpoints, from: "live", to: "trash", at: LATER, reason: "test" } as const;
    expect(await standIn.catalog.change(commit({ move, audit: [] }))).toMatchObject({ moved: [{ id: "d1" }] });
    expect((await findCheckpoint(standIn.catalog, "m1" as CheckpointId))?.id).toBe("m1");
    below.failure = UNREADABLE;
    await expect(tag()).rejects.toBe(UNREADABLE);
  });

  it("lists checkpoints in memory while the disk cannot be read, and rejects reads that need the disk", async () => {
    const { below, standIn, append } = await aStandIn();
    await append("m1");
    below.failure = UNREADABLE;
    expect((await queryCheckpoints(standIn.catalog, { filter: {}, limit: 10, offset: 0 })).records.map(({ id }) => id)).toEqual(["m1"]);
    expect(await findSession(standIn.catalog, S)).toMatchObject({ checkpointCount: 1 });
    expect((await findHead(standIn.catalog, S))?.id).toBe("m1");
    await expect(findCheckpoint(standIn.catalog, "d1" as CheckpointId)).rejects.toBe(UNREADABLE);
    await expect(findHead(standIn.catalog, "other" as SessionId)).rejects.toBe(UNREADABLE);
    await expect(sumUsage(standIn.catalog)).rejects.toBe(UNREADABLE);
    await expect(queryTrash(standIn.catalog, { limit: 1 })).rejects.toBe(UNREADABLE);
  });

  it("forgets checkpoints that are on the disk now, and counts the others", async () => {
    const { memory, standIn, append } = await aStandIn();
    await append("m1");
    await append("m2");
    await memory.forget(new Set(["m1" as CheckpointId]));
    expect(memory.size).toEqual({ checkpoints: 1, pins: 0 });
    expect(await findSession(standIn.catalog, S)).toMatchObject({ checkpointCount: 4, totalSizeBytes: 40 });
  });
});
