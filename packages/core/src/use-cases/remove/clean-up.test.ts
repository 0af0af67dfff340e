import {
  type CatalogPort,
  type CheckpointId,
  cleanUp,
  type CleanUpOptions,
  emptyTrash,
  keepSession,
  listTrash,
  removeCheckpoints,
  restoreFromTrash,
  type SessionId,
  type UpkeepPolicy,
} from "../../index.ts";
import { describe, expect, it } from "vitest";
import { aStore, failure, OTHER, S, type TestStore, withAnswers, withMethods } from "../../../../memory/src/testing/a-store.ts";
import { queryCheckpoints } from "../../catalog/queries/query-checkpoints.ts";
import { commit } from "../../catalog/rules/commit.ts";
import { sumUsage } from "../../catalog/queries/sum-usage.ts";
import { mapped } from "../../catalog/rule.ts";
import { changesOf } from "../../catalog/rows.ts";
import { CHECKPOINT_KINDS } from "../../model/checkpoint.ts";

const START = new Date("2026-01-01T00:00:00.000Z");
const DAY = 86_400_000;
const POLICY: UpkeepPolicy = {
  retentionMs: 30 * DAY,
  asideMs: 7 * DAY,
  trashMs: 7 * DAY,
  trashBytes: 1e6,
  quota: { above: 1e6, downTo: 1e6 },
};

/** Sets the clock to the given number of days after the first save. */
function pass(store: TestStore, days: number): void {
  store.clock.set(new Date(START.getTime() + days * DAY));
}

async function liveIds(store: TestStore): Promise<readonly string[]> {
  const page = await queryCheckpoints(store.storage.catalog, { filter: {}, limit: 1_000, offset: 0 });
  return page.records.map(({ id }) => id).toReversed();
}

async function trashIds(store: TestStore): Promise<readonly string[]> {
  return (await listTrash(store.ports)).map(({ record }) => record.id);
}

async function bytesHeld(store: TestStore): Promise<number> {
  const { liveBytes, trashBytes } = await sumUsage(store.storage.catalog);
  return liveBytes + trashBytes;
}

function auditOf(store: TestStore, ...actions: readonly string[]): readonly string[] {
  const rows = store.disk.catalog.audit.filter(({ action }) => actions.includes(action));
  return rows.map(({ action, checkpointId, reason }) => `${action} ${checkpointId ?? ""}: ${reason}`);
}

/** Creates a store with the given number of checkpoints per session, named a1, a2 and so on. */
async function filled(checkpoints: Readonly<Record<string, number>>): Promise<TestStore> {
  const store = aStore();
  for (const [session, count] of Object.entries(checkpoints)) {
    for (let n = 1; n <= count; n++) {
      const id = `${session}${n}` as CheckpointId;
      await store.saved({ session, n }, { sessionId: session as SessionId, checkpointId: id });
    }
  }
  return store;
}

it("removes temporary files of interrupted writes, except in a dry run", async () => {
  const store = aStore();
  let removals = 0;
  store.storage.blobs.removeAbandoned = async () => ++removals;
  await cleanUp(store.ports, POLICY, { dryRun: true });
  expect(removals).toBe(0);
  await cleanUp(store.ports, POLICY);
  expect(removals).toBe(1);
});

describe("cleanUp", () => {
  it("moves long unused checkpoints to the trash, and deletes them permanently after seven days", async () => {
    const store = await filled({ a: 2 });
    pass(store, 20);
    await store.saved({ b: 1 }, { sessionId: "b" as SessionId, checkpointId: "b1" as CheckpointId });
    pass(store, 31);
    const report = await cleanUp(store.ports, POLICY);
    expect(report.removed).toMatchObject([{ sessionId: "a", reason: "retention", from: "live", to: "trash", checkpointIds: ["a1", "a2"] }]);
    expect(report.bytesAfter).toBe(report.bytesBefore);
    expect(await trashIds(store)).toEqual(["a1", "a2"]);
    expect(await liveIds(store)).toEqual(["b1"]);
    expect(store.disk.blobs.size).toBe(3);
    pass(store, 39);
    const later = await cleanUp(store.ports, POLICY);
    expect(later.removed).toMatchObject([{ sessionId: "a", reason: "trash-age", from: "trash", to: "nowhere" }]);
    expect(later.bytesAfter).toBe(await bytesHeld(store));
    expect(store.disk.blobs.size).toBe(1);
    expect(auditOf(store, "trash", "delete")).toEqual([
      "trash a1: retention",
      "trash a2: retention",
      "delete a1: trash-age",
      "delete a2: trash-age",
      "delete : empty",
    ]);
  });

  it("counts a load as use, like a save", async () => {
    const store = await filled({ a: 1 });
    pass(store, 29);
    await store.storage.catalog.change(commit({ accesses: [{ checkpointId: "a1" as CheckpointId, at: store.clock.now() }], audit: [] }));
    pass(store, 58);
    expect((await cleanUp(store.ports, POLICY)).removed).toEqual([]);
    pass(store, 60);
    expect((await cleanUp(store.ports, POLICY)).removed).toMatchObject([{ sessionId: "a" }]);
  });

  it("reports the exact effects in a dry run, and changes nothing", async () => {
    const store = await filled({ a: 2, b: 1 });
    await keepSession(store.ports, { sessionId: "b" as SessionId });
    pass(store, 31);
    const before = [store.disk.catalog.audit.length, await liveIds(store), store.disk.blobs.size];
    const told = await cleanUp(store.ports, POLICY, { dryRun: true });
    expect([store.disk.catalog.audit.length, await liveIds(store), store.disk.blobs.size]).toEqual(before);
    expect(told).toMatchObject({ dryRun: true, removed: [{ checkpointIds: ["a1", "a2"] }], spared: [{ sessionId: "b", why: "keep" }] });
    pass(store, 31);
    expect(await cleanUp(store.ports, POLICY)).toEqual({ ...told, dryRun: false });
  });

  it("frees space in a full store: the trash first, then the least recently used sessions", async () => {
    const store = await filled({ a: 3, b: 3, c: 3 });
    await removeCheckpoints(store.ports, { sessionId: "b" as SessionId });
    const bytes = await bytesHeld(store);
    const quota = { above: bytes - 1, downTo: Math.floor(bytes / 2) };
    const report = await cleanUp(store.ports, { ...POLICY, quota });
    expect(report.removed).toMatchObject([
      { sessionId: "b", reason: "quota", from: "trash", to: "nowhere" },
      { sessionId: "a", reason: "quota", from: "live", to: "nowhere", checkpointIds: ["a1", "a2", "a3"] },
    ]);
    expect(report).toMatchObject({ bytesBefore: bytes, bytesAfter: await bytesHeld(store) });
    expect(await liveIds(store)).toEqual(["c1", "c2", "c3"]);
    expect(store.disk.blobs.size).toBe(3);
  });

  it("leaves sessions in use, and those tagged keep, complete and readable", async () => {
    const store = await filled({ a: 1, b: 1 });
    const kept = await store.saved({ kept: true }, { sessionId: "c" as SessionId, tags: ["keep"] });
    await store.saved({ kept: false }, { sessionId: "c" as SessionId, checkpointId: "c2" as CheckpointId });
    await keepSession(store.ports, { sessionId: "b" as SessionId });
    pass(store, 100);
    const report = await cleanUp(store.ports, POLICY, { inUse: new Set(["a" as SessionId]) });
    expect(report.removed).toMatchObject([{ sessionId: "c", checkpointIds: ["c2"] }]);
    expect(report.spared.map(({ sessionId, why }) => [sessionId, why])).toEqual([
      ["a", "in-use"],
      ["b", "keep"],
      ["c", "keep"],
    ]);
    expect((await store.load(kept.id)).context).toEqual({ kept: true });
  });

  it("keeps a session, and its new checkpoint, when a save falls between plan and removal", async () => {
    const store = await filled({ a: 2, b: 1 });
    pass(store, 31);
    let isFirst = true;
    const change: CatalogPort["change"] = async (rule) => {
      if (isFirst) {
        isFirst = false;
        await store.saved({ late: true }, { sessionId: "a" as SessionId, checkpointId: "late" as CheckpointId });
      }
      return store.storage.catalog.change(rule);
    };
    const report = await cleanUp({ ...store.ports, catalog: withMethods<CatalogPort>(store.storage.catalog, { change }) }, POLICY);
    expect(report).toMatchObject({ removed: [{ sessionId: "b" }], passedOver: ["a"] });
    expect(await liveIds(store)).toEqual(["a1", "a2", "late"]);
  });

  it("stops between sessions when aborted, and yields to other work in between", async () => {
    const store = await filled({ a: 1, b: 1, c: 1 });
    pass(store, 31);
    const signal = { aborted: false };
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses += 1;
      signal.aborted = pauses === 2;
    };
    const report = await cleanUp(store.ports, POLICY, { signal, pause });
    expect(report.removed.map(({ sessionId }) => sessionId)).toEqual(["a", "b"]);
    expect(await liveIds(store)).toEqual(["c1"]);
  });

  it("moves a session of any size in batches", async () => {
    const store = await filled({ a: 1 });
    for (let n = 2; n <= 450; n++) await store.saved({ n }, { sessionId: "a" as SessionId, kind: "project" });
    pass(store, 31);
    const moved: number[] = [];
    const change: CatalogPort["change"] = (rule) => {
      const counted = mapped(rule, (decision) => {
        const { length } = changesOf("checkpoint", decision.rows);
        if (length > 0) moved.push(length);
        return decision;
      });
      return store.storage.catalog.change(counted);
    };
    const report = await cleanUp({ ...store.ports, catalog: withMethods<CatalogPort>(store.storage.catalog, { change }) }, POLICY);
    expect(report.removed[0]?.checkpointIds).toHaveLength(450);
    expect(moved).toEqual([200, 200, 50]);
  });

  it("deletes empty sessions, except on the day of their last use and while they are in use", async () => {
    const store = await filled({ old: 1, busy: 1, kept: 1, young: 1 });
    const all = ["old", "busy", "kept", "young"] as SessionId[];
    await keepSession(store.ports, { sessionId: "kept" as SessionId });
    for (const sessionId of all) await removeCheckpoints(store.ports, { sessionId, permanently: true, includeKept: true });
    pass(store, 0.5);
    expect((await cleanUp(store.ports, POLICY)).forgotten).toEqual([]);
    pass(store, 1.5);
    await store.saved({ n: 2 }, { sessionId: "young" as SessionId });
    await removeCheckpoints(store.ports, { sessionId: "young" as SessionId, permanently: true });
    const inUse = new Set(["busy" as SessionId]);
    const told = await cleanUp(store.ports, POLICY, { dryRun: true, inUse });
    expect([told.forgotten, store.disk.sessionFacts.size]).toEqual([["old"], 4]);
    expect((await cleanUp(store.ports, POLICY, { inUse })).forgotten).toEqual(["old"]);
    expect([...store.disk.sessionFacts.keys()].toSorted()).toEqual(["busy", "kept", "young"]);
    expect((await cleanUp(store.ports, POLICY, { inUse })).forgotten).toEqual([]);
  });

  it("deletes any number of empty sessions in batches", async () => {
    const sessions = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`s${n}`, 1]));
    const store = await filled(sessions);
    for (const id of Object.keys(sessions)) await removeCheckpoints(store.ports, { sessionId: id as SessionId, permanently: true });
    pass(store, 2);
    expect((await cleanUp(store.ports, POLICY)).forgotten).toHaveLength(120);
    expect(store.disk.sessionFacts.size).toBe(0);
  });

  it("reads only sessions that may be due", async () => {
    const store = await filled({ a: 1, b: 1 });
    pass(store, 40);
    for (const id of ["c", "d"]) await store.saved({ id }, { sessionId: id as SessionId });
    const looked: (string | undefined)[] = [];
    const catalog = withAnswers(store.storage.catalog, (read, answer) => {
      if (read.of === "checkpoints" && read.where.kinds?.length === CHECKPOINT_KINDS.length) looked.push(read.where.sessionId);
      return answer;
    });
    await cleanUp({ ...store.ports, catalog }, POLICY);
    expect(looked).toEqual(["a", "b"]);
  });
});

describe("removeCheckpoints", () => {
  it("moves a session to the trash", async () => {
    const store = await filled({ a: 2, b: 1 });
    const report = await removeCheckpoints(store.ports, { sessionId: "a" as SessionId });
    expect(report.removed).toMatchObject([{ sessionId: "a", reason: "manual", to: "trash", checkpointIds: ["a1", "a2"] }]);
    expect(await trashIds(store)).toEqual(["a1", "a2"]);
    expect(auditOf(store, "trash")).toEqual(["trash a1: manual", "trash a2: manual"]);
  });

  it("deletes permanently, including the file, on request", async () => {
    const store = await filled({ a: 2 });
    await removeCheckpoints(store.ports, { sessionId: "a" as SessionId, permanently: true });
    expect([await trashIds(store), await liveIds(store), store.disk.blobs.size]).toEqual([[], [], 0]);
  });

  it("keeps the newest checkpoints of each session", async () => {
    const store = await filled({ a: 4, b: 2 });
    await removeCheckpoints(store.ports, { keepLast: 2 });
    expect(await liveIds(store)).toEqual(["a3", "a4", "b1", "b2"]);
  });

  it("selects by the last use of a session, not by the age of its checkpoints", async () => {
    const store = await filled({ a: 1, b: 1 });
    pass(store, 8);
    await store.saved({ more: true }, { sessionId: "a" as SessionId, checkpointId: "a2" as CheckpointId });
    await removeCheckpoints(store.ports, { unusedForMs: 7 * DAY });
    expect(await liveIds(store)).toEqual(["a1", "a2"]);
  });

  it("combines a session with its last use", async () => {
    const store = await filled({ a: 1 });
    expect((await removeCheckpoints(store.ports, { sessionId: "a" as SessionId, unusedForMs: DAY })).removed).toEqual([]);
  });

  it("selects by project", async () => {
    const store = aStore();
    await store.saved({ n: 1 }, { project: "/p", checkpointId: "p" as CheckpointId });
    await store.saved({ n: 2 }, { project: "/q", checkpointId: "q" as CheckpointId, sessionId: OTHER });
    await removeCheckpoints(store.ports, { project: "/p" });
    expect(await liveIds(store)).toEqual(["q"]);
  });

  it("rejects an unknown session, and an empty selection", async () => {
    const store = await filled({ a: 1 });
    await expect(removeCheckpoints(store.ports, { sessionId: S })).rejects.toMatchObject(failure("SESSION_NOT_FOUND"));
    await expect(removeCheckpoints(store.ports, {})).rejects.toMatchObject(failure("INVALID_INPUT"));
    expect(await liveIds(store)).toEqual(["a1"]);
  });
});

describe("the trash", () => {
  it("restores its content exactly, at the old position, and counts that as use of the session", async () => {
    const store = await filled({ a: 3 });
    pass(store, 31);
    await cleanUp(store.ports, POLICY);
    expect((await restoreFromTrash(store.ports, { sessionId: "a" as SessionId })).map(({ id }) => id)).toEqual(["a1", "a2", "a3"]);
    expect(await liveIds(store)).toEqual(["a1", "a2", "a3"]);
    expect((await store.load("a3" as CheckpointId)).context).toEqual({ session: "a", n: 3 });
    expect((await cleanUp(store.ports, POLICY)).removed).toEqual([]);
    expect(auditOf(store, "restore")).toEqual(["restore a1: asked for", "restore a2: asked for", "restore a3: asked for"]);
  });

  it("restores single checkpoints", async () => {
    const store = await filled({ a: 3 });
    await removeCheckpoints(store.ports, { sessionId: "a" as SessionId });
    await restoreFromTrash(store.ports, { sessionId: "a" as SessionId, checkpointIds: ["a2" as CheckpointId] });
    expect([await liveIds(store), await trashIds(store)]).toEqual([["a2"], ["a1", "a3"]]);
  });

  it("restores nothing when one of the checkpoints is missing", async () => {
    const store = await filled({ a: 2 });
    await removeCheckpoints(store.ports, { keepLast: 1 });
    const checkpointIds = ["a1", "a2"] as CheckpointId[];
    const missing = failure("CHECKPOINT_NOT_FOUND", { sessionId: "a", checkpointIds: ["a2"] });
    await expect(restoreFromTrash(store.ports, { sessionId: "a" as SessionId, checkpointIds })).rejects.toMatchObject(missing);
    expect(await trashIds(store)).toEqual(["a1"]);
    await expect(restoreFromTrash(store.ports, { sessionId: S })).rejects.toMatchObject(failure("CHECKPOINT_NOT_FOUND"));
  });

  it("can be emptied for one session or for all", async () => {
    const store = await filled({ a: 1, b: 1, c: 1 });
    await removeCheckpoints(store.ports, { unusedForMs: 0 });
    expect((await emptyTrash(store.ports, { dryRun: true })).removed).toHaveLength(3);
    await emptyTrash(store.ports, { sessionId: "a" as SessionId });
    expect([await trashIds(store), store.disk.blobs.size]).toEqual([["b1", "c1"], 2]);
    await emptyTrash(store.ports);
    expect([await trashIds(store), store.disk.blobs.size, await bytesHeld(store)]).toEqual([[], 0, 0]);
    expect(auditOf(store, "delete")).toEqual(["delete a1: manual", "delete b1: manual", "delete c1: manual"]);
  });
});

it("reports the progress of moves and of deleted files, and none in a dry run", async () => {
  const store = await filled({ a: 2, b: 1 });
  const told: string[] = [];
  const onProgress: CleanUpOptions["onProgress"] = ({ phase, done, total }) => void told.push(`${phase} ${done}/${total}`);
  await removeCheckpoints(store.ports, { unusedForMs: 0 }, { dryRun: true, onProgress });
  expect(told).toEqual([]);
  await removeCheckpoints(store.ports, { unusedForMs: 0 }, { onProgress });
  expect(told.splice(0)).toEqual(["move 2/3", "move 3/3"]);
  await emptyTrash(store.ports, { onProgress });
  expect(told).toEqual(["move 2/3", "move 3/3", "remove 3/3"]);
});

describe("keepSession", () => {
  it("adds the tag to a session, and removes it", async () => {
    const store = await filled({ a: 1 });
    expect((await keepSession(store.ports, { sessionId: "a" as SessionId })).tags).toEqual(["keep"]);
    expect((await keepSession(store.ports, { sessionId: "a" as SessionId, keep: false })).tags).toEqual([]);
    expect(auditOf(store, "tag")).toEqual(["tag : keep", "tag : no longer keep"]);
  });

  it("rejects an unknown session", async () => {
    await expect(keepSession(aStore().ports, { sessionId: S })).rejects.toMatchObject(failure("SESSION_NOT_FOUND"));
  });
});
