import {
  type CheckpointId,
  collectGarbage,
  finishRemovals,
  pinEntry,
  rebuildCatalog,
  type SessionFacts,
  type SessionId,
} from "../../index.ts";
import { describe, expect, it } from "vitest";
import { aStore, OTHER, S, type TestStore } from "../../../../memory/src/testing/a-store.ts";
import { findCheckpoint, queryCheckpoints } from "../../catalog/queries/query-checkpoints.ts";
import { findSession } from "../../catalog/queries/query-sessions.ts";
import { commit } from "../../catalog/rules/commit.ts";
import { queryTrash } from "../../catalog/queries/query-trash.ts";

/** Creates a store that never removes pruned blobs, as if the process ended before. */
function aStoreThatDies(maxCheckpoints: number): TestStore {
  const store = aStore({ limits: { maxCheckpoints } });
  store.ports = { ...store.ports, background: { run: () => {} } };
  return store;
}

async function rebuilt(store: TestStore): ReturnType<typeof rebuildCatalog> {
  store.disk.loseCatalog();
  return rebuildCatalog(store.ports);
}

async function all(store: TestStore, kinds?: ("workflow" | "project" | "conversation" | "aside")[]) {
  const { records } = await queryCheckpoints(store.storage.catalog, { filter: { kinds }, limit: 1_000, offset: 0 });
  return records;
}

it("rebuilds everything in the files, and reports the data that they lack", async () => {
  const store = aStore();
  const first = await store.saved({ n: 1 }, { name: "one", tags: ["t"], attributes: { a: [1] }, agentId: "agent", project: "/p" });
  await store.saved({ n: 2 }, { sessionId: OTHER, kind: "project" });
  await store.saved({ n: 3 }, { parentId: first.id, sessionId: OTHER, workflowId: "flow" });
  await store.saved({ n: 4 }, { kind: "aside" });
  const before = await all(store, ["workflow", "project", "aside"]);
  expect(await store.storage.recovery.state().then((state) => state === "lost")).toBe(false);
  store.disk.loseCatalog();
  expect(await store.storage.recovery.state().then((state) => state === "lost")).toBe(true);
  expect(await rebuildCatalog(store.ports)).toEqual({
    checkpoints: 4,
    sessions: 2,
    removedEarlier: 0,
    unreadable: [],
    notRebuilt: ["the audit log", "access times"],
  });
  expect(await all(store, ["workflow", "project", "aside"])).toEqual(before);
  expect(await store.storage.recovery.state().then((state) => state === "lost")).toBe(false);
  expect(store.disk.catalog.audit).toMatchObject([{ action: "rebuild" }]);
  expect((await store.load(first.id)).context).toEqual({ n: 1 });
});

it("names sessions without facts, since their pins and removals are lost", async () => {
  const store = aStore();
  for (let n = 1; n <= 8; n++) await store.saved({ n }, { sessionId: `session-${n}` as SessionId });
  for (let n = 1; n <= 7; n++) store.disk.sessionFacts.delete(`session-${n}` as SessionId);
  const { checkpoints, notRebuilt } = await rebuilt(store);
  expect(checkpoints).toBe(8);
  expect(notRebuilt).toEqual([
    "the audit log",
    "access times",
    expect.stringMatching(/missing or damaged: session-\d, session-\d, session-\d, session-\d, session-\d and 2 more$/u),
  ]);
});

it("orders by lineage after a clock jump, and continues from there", async () => {
  const store = aStore();
  for (const year of [2026, 1999, 2030, 2001]) {
    store.clock.set(new Date(`${year}-01-01`));
    await store.saved({ year });
  }
  await rebuilt(store);
  expect((await all(store)).map(({ createdAt, sequence }) => [createdAt.getUTCFullYear(), sequence])).toEqual([
    [2001, 4],
    [2030, 3],
    [1999, 2],
    [2026, 1],
  ]);
  expect((await store.saved({ year: "next" })).sequence).toBe(5);
});

it("numbers the rest from 1 when the oldest are missing", async () => {
  const store = aStore({ limits: { maxCheckpoints: 2 } });
  for (let n = 1; n <= 5; n++) await store.saved({ n });
  await store.background.idle();
  await rebuilt(store);
  expect((await all(store)).map(({ sequence }) => sequence)).toEqual([2, 1]);
  expect((await store.load(S)).context).toEqual({ n: 5 });
});

it("keeps pins, and the start time of a session", async () => {
  const store = aStore({ limits: { maxCheckpoints: 1 } });
  await store.saved({ goal: 1 });
  const { createdAt } = (await findSession(store.storage.catalog, S)) ?? {};
  await pinEntry(store.ports, { sessionId: S, key: "goal" });
  await store.saved({ goal: 2 });
  await rebuilt(store);
  expect(await findSession(store.storage.catalog, S)).toMatchObject({ pins: ["goal"], createdAt });
});

it("starts a session without facts at its earliest checkpoint", async () => {
  const store = aStore();
  await store.saved({ n: 1 });
  store.clock.set(new Date("2020-01-01"));
  await store.saved({ n: 2 });
  store.disk.sessionFacts.clear();
  await rebuilt(store);
  expect(await findSession(store.storage.catalog, S)).toMatchObject({ createdAt: new Date("2020-01-01"), pins: [], checkpointCount: 2 });
});

describe("removed checkpoints stay removed", () => {
  it("although the blob still exists, and then the blob is removed too", async () => {
    const store = aStoreThatDies(2);
    for (let n = 1; n <= 5; n++) await store.saved({ n });
    expect(store.disk.blobs.size).toBe(5);
    expect(await rebuilt(store)).toMatchObject({ checkpoints: 2, removedEarlier: 3 });
    expect(await rebuilt(store)).toMatchObject({ checkpoints: 2, removedEarlier: 3 });
    expect(await finishRemovals(store.ports)).toBe(3);
    expect(store.disk.blobs.size).toBe(2);
    await store.saved({ n: 6 });
    expect(store.disk.sessionFacts.get(S)?.tombstones).toHaveLength(1);
  });

  it("and trashed ones stay in the trash", async () => {
    const store = aStore();
    const records = [];
    for (let n = 1; n <= 4; n++) records.push(await store.saved({ n }));
    const ids = records.map(({ id }) => id);
    const at = new Date("2026-05-05T05:05:05.000Z");
    const moving = { sessionId: S, checkpoints: ids.slice(0, 2), at, reason: "request", from: "live", to: "trash" } as const;
    await store.storage.catalog.change(commit({ move: moving, audit: [] }));
    expect(await rebuilt(store)).toMatchObject({ checkpoints: 4, removedEarlier: 0 });
    const { catalog } = store.storage;
    expect((await queryCheckpoints(catalog, { filter: {}, limit: 9, offset: 0 })).records.map(({ id }) => id)).toEqual(
      ids.slice(2).toReversed(),
    );
    const { entries } = await queryTrash(catalog, { limit: 9 });
    expect(entries.map(({ record, trashedAt }) => [record.id, trashedAt])).toEqual(ids.slice(0, 2).map((id) => [id, at]));
    await catalog.change(commit({ move: { ...moving, from: "trash", to: "live" }, audit: [] }));
    expect(await store.load(ids[0] as CheckpointId)).toMatchObject({ context: { n: 1 } });
  });

  it("and surviving ones count as recently used when their access times are lost", async () => {
    const store = aStore();
    await store.saved({ n: 1 });
    store.clock.set(new Date("2031-01-01T00:00:00.000Z"));
    await rebuilt(store);
    expect((await findSession(store.storage.catalog, S))?.lastAccessedAt.getUTCFullYear()).toBe(2031);
  });

  it("although the blob returns long after the removal, for example from a backup", async () => {
    const store = aStore({ limits: { maxCheckpoints: 2 } });
    const backup = new Map<string, Uint8Array>();
    for (let n = 1; n <= 5; n++) {
      await store.saved({ n });
      for (const [ref, bytes] of store.disk.blobs) backup.set(ref, bytes);
      await store.background.idle();
    }
    expect(store.disk.blobs.size).toBe(2);
    for (const [ref, bytes] of backup) store.disk.blobs.set(ref as never, bytes);
    expect(await rebuilt(store)).toMatchObject({ checkpoints: 2, removedEarlier: 3 });
    expect(await collectGarbage(store.ports)).toMatchObject({ blobs: 3 });
  });

  it("also those before one with a tombstone", async () => {
    const store = aStore({ limits: { maxCheckpoints: 1 } });
    const first = await store.saved({ n: 1 });
    const bytes = store.disk.blobs.get(first.blob) as Uint8Array;
    await store.saved({ n: 2 });
    await store.background.idle();
    store.ports = { ...store.ports, background: { run: () => {} } };
    await store.saved({ n: 3 });
    store.disk.blobs.set(first.blob, bytes);
    expect(await rebuilt(store)).toMatchObject({ checkpoints: 1, removedEarlier: 2 });
  });

  it("but other kinds, which are never pruned, survive although they are older", async () => {
    const store = aStoreThatDies(1);
    const project = await store.saved({ n: 0 }, { kind: "project" });
    for (let n = 1; n <= 3; n++) await store.saved({ n });
    expect(await rebuilt(store)).toMatchObject({ checkpoints: 2, removedEarlier: 2 });
    expect((await store.load(project.id)).context).toEqual({ n: 0 });
  });

  it("but the origin of a fork survives in its own session", async () => {
    const store = aStore({ limits: { maxCheckpoints: 1 } });
    const origin = await store.saved({ n: 1 }, { sessionId: OTHER });
    await store.saved({ n: 2 }, { parentId: origin.id });
    await store.saved({ n: 3 });
    await store.background.idle();
    expect(await rebuilt(store)).toMatchObject({ checkpoints: 2, removedEarlier: 0 });
  });

  it("unless they were saved again under the old id", async () => {
    const store = aStoreThatDies(1);
    const id = "again" as CheckpointId;
    await store.saved({ n: 1 }, { checkpointId: id });
    await store.saved({ n: 2 });
    await store.saved({ n: 1 }, { checkpointId: id });
    await rebuilt(store);
    expect((await store.load(id)).context).toEqual({ n: 1 });
    await finishRemovals(store.ports);
    expect((await store.load(id)).context).toEqual({ n: 1 });
  });
});

describe("a blob that cannot be read", () => {
  it("is reported with the reason, and left in place; the others are rebuilt", async () => {
    const store = aStore();
    await store.saved({ n: 1 });
    const damaged = await store.saved({ n: 2 });
    const newer = await store.saved({ n: 3 });
    const last = await store.saved({ n: 4 });
    store.disk.blobs.set(damaged.blob, Buffer.from("damaged"));
    store.disk.blobs.set(newer.blob, await store.ports.codec.encode(Buffer.from(`{"workrail":9}\n`)));
    expect(await rebuilt(store)).toMatchObject({
      checkpoints: 2,
      unreadable: [
        { ref: damaged.blob, code: "CHECKPOINT_CORRUPT" },
        { ref: newer.blob, code: "UNSUPPORTED_VERSION" },
      ],
    });
    expect(store.disk.blobs.size).toBe(4);
    expect((await store.load(S)).record).toMatchObject({ id: last.id, sequence: 2, parentId: newer.id });
  });

  it("is skipped when it vanishes meanwhile, or is a misplaced copy", async () => {
    const store = aStore();
    const { blob } = await store.saved({ n: 1 });
    store.disk.blobs.set("memory:s1/copy" as typeof blob, store.disk.blobs.get(blob) as Uint8Array);
    const get = store.storage.blobs.get.bind(store.storage.blobs);
    const ghost = "memory:s1/ghost" as typeof blob;
    store.disk.blobs.set(ghost, new Uint8Array(3));
    store.storage.blobs.get = async (ref) => (ref === ghost ? undefined : get(ref));
    expect(await rebuilt(store)).toMatchObject({ checkpoints: 1, unreadable: [] });
  });

  it("stops the rebuild when the store itself fails, and then nothing is replaced", async () => {
    const store = aStore();
    const { id } = await store.saved({ n: 1 });
    store.storage.blobs.get = () => Promise.reject(new Error("the disk is gone"));
    await expect(rebuildCatalog(store.ports)).rejects.toThrow("the disk is gone");
    expect(await findCheckpoint(store.storage.catalog, id)).toBeDefined();
  });
});

it("holds the exclusive lock: a concurrent save waits, and is not lost", async () => {
  const store = aStore();
  await store.saved({ n: 1 });
  const [report, record] = await Promise.all([rebuildCatalog(store.ports), store.saved({ n: 2 })]);
  expect(report.checkpoints).toBe(1);
  expect((await store.load(record.id)).context).toEqual({ n: 2 });
});

it("restores the facts of every session, even of empty ones", async () => {
  const store = aStore();
  const facts: SessionFacts = {
    sessionId: OTHER,
    createdAt: new Date(0),
    tags: ["x"],
    pins: ["p"],
    tombstones: [],
    erasing: [],
    oldestLive: null,
    trash: [],
    shields: [],
  };
  store.disk.sessionFacts.set(OTHER, facts);
  await store.saved({ n: 1 });
  expect(await rebuilt(store)).toMatchObject({ sessions: 1 });
  expect(store.disk.sessionFacts.get(OTHER)).toEqual(facts);
});
