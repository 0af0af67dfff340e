import { describe, expect, it } from "vitest";
import type { Workrail } from "../src/workrail.ts";
import { foreseeable, KINDS, refusalOf } from "./stores.ts";

describe.each(KINDS)("a store of $kind", ({ at }) => {
  it("lists its sessions, the most recently used first, with facts of their latest checkpoints", () =>
    at(async (place) => {
      await using store = await place.open({ project: "/shop", adapters: foreseeable() });
      for (const sessionId of ["a", "b", "c"]) {
        await store.saveCheckpoint({ sessionId, context: { sessionId }, workflowId: "w", metadata: { name: `of ${sessionId}` } });
      }
      await store.saveCheckpoint({ sessionId: "a", context: { again: 1 } });
      const { sessions, total } = await store.listSessions({ limit: 2 });
      expect(total).toBe(3);
      expect(sessions.map(({ id, checkpointCount, latest }) => [id, checkpointCount, latest?.name])).toEqual([
        ["a", 2, undefined],
        ["c", 1, "of c"],
      ]);
      expect((await store.listSessions({ offset: 2 })).sessions).toMatchObject([
        { id: "b", latest: { name: "of b", workflowId: "w", project: "/shop" } },
      ]);
      expect((await store.listSessions({ project: "/elsewhere" })).total).toBe(0);
      expect((await store.listSessions({ project: null })).total).toBe(3);
      expect(await refusalOf(store.listSessions({ limit: 101 }))).toMatchObject({ code: "INVALID_INPUT", details: { field: "limit" } });
    }));

  it("returns the graph of a session's checkpoints", () =>
    at(async (place) => {
      await using store = await place.open();
      const save = (id: string, parentId?: string): Promise<unknown> =>
        store.saveCheckpoint({ sessionId: "s", checkpointId: id, context: { id }, parentId });
      await save("one");
      await save("two");
      await save("three", "one");
      await store.cleanUp({ checkpointIds: ["one"] });
      const { headId, checkpoints, total } = await store.traceSession({ sessionId: "s" });
      expect([headId, total]).toEqual(["three", 2]);
      expect(checkpoints.map(({ id, parentId, parentGone }) => [id, parentId, parentGone])).toEqual([
        ["three", "one", true],
        ["two", "one", true],
      ]);
      await store.restoreFromTrash({ sessionId: "s" });
      const restored = await store.traceSession({ sessionId: "s" });
      expect(restored.checkpoints.at(-1)).toMatchObject({ id: "one", children: ["two", "three"] });
      const newest = await store.traceSession({ sessionId: "s", limit: 1 });
      expect(newest).toMatchObject({ checkpoints: [{ id: "three", children: [] }], total: 3 });
      expect(newest.checkpoints[0], "its parent is only older").not.toHaveProperty("parentGone");
      await store.cleanUp({ checkpointIds: ["one"] });
      const orphans = await store.traceSession({ sessionId: "s", limit: 1 });
      expect(orphans).toMatchObject({ checkpoints: [{ id: "three", parentGone: true }], total: 2 });
      expect((await refusalOf(store.traceSession({ sessionId: "none" }))).code).toBe("SESSION_NOT_FOUND");
    }));

  it("compares any two checkpoints, also of different sessions", () =>
    at(async (place) => {
      await using store = await place.open();
      await store.saveCheckpoint({ sessionId: "a", checkpointId: "from", context: { notes: "the same", gone: 1 } });
      await store.saveCheckpoint({ sessionId: "b", checkpointId: "to", context: { notes: "the same", plan: ["new"] } });
      await store.markCritical({ sessionId: "b", contextKey: "notes" });
      const compared = await store.compareCheckpoints({ fromId: "from", toId: "to" });
      expect(compared.entries.map(({ key, change }) => [key, change])).toEqual([
        ["notes", "moved"],
        ["plan", "added"],
        ["gone", "removed"],
      ]);
      expect(compared).toMatchObject({ from: { id: "from", sessionId: "a" }, to: { id: "to", tokens: expect.any(Number) } });
      expect((await refusalOf(store.compareCheckpoints({ fromId: "from", toId: "none" }))).code).toBe("CHECKPOINT_NOT_FOUND");
    }));

  it("compares without counting that as a use", () =>
    at(async (place) => {
      const accessed = async (store: Workrail): Promise<unknown> =>
        (await store.findCheckpoints({ sessionId: "s" })).checkpoints.map(({ lastAccessedAt }) => lastAccessedAt);
      const adapters = foreseeable();
      const store = await place.open({ adapters });
      for (const id of ["from", "to"]) await store.saveCheckpoint({ sessionId: "s", checkpointId: id, context: { id } });
      const before = await accessed(store);
      await store.compareCheckpoints({ fromId: "from", toId: "to" });
      await store.close();
      await using again = await place.open({ adapters });
      expect(await accessed(again)).toEqual(before);
    }));

  it("sums up the sizes of sessions and projects, without counting that as a use", () =>
    at(async (place) => {
      const adapters = foreseeable();
      await using shop = await place.open({ project: "/shop", adapters });
      for (const step of [1, 2]) await shop.saveCheckpoint({ sessionId: "s", context: { step, text: "the same words ".repeat(100) } });
      const { lastAccessedAt } = (await shop.findCheckpoints({ sessionId: "s" })).session ?? {};
      const told: unknown[] = [];
      const { total, projects, sessions } = await shop.storeStats({ onProgress: (progress) => told.push(progress) });
      expect(total).toMatchObject({ sessions: 1, checkpoints: 2, contextBytes: expect.any(Number), tokens: expect.any(Number) });
      expect(total.ratio).toBeGreaterThan(3);
      expect([projects, sessions]).toMatchObject([
        [{ project: "/shop", sessions: 1 }],
        [{ sessionId: "s", project: "/shop", checkpoints: 2 }],
      ]);
      expect(told).toEqual([{ done: 1, total: 1 }]);
      expect((await shop.findCheckpoints({ sessionId: "s" })).session?.lastAccessedAt).toBe(lastAccessedAt);
      expect((await shop.storeStats({ project: "/elsewhere" })).total).toMatchObject({ sessions: 0, ratio: undefined, tokens: undefined });
      expect((await shop.storeStats({ sessionId: "s", tokens: false })).total.tokens).toBeUndefined();
      expect((await refusalOf(shop.storeStats({ sessionId: "none" }))).code).toBe("SESSION_NOT_FOUND");
    }));

  it("adds and removes tags of a session, and finds its checkpoints by them", () =>
    at(async (place) => {
      await using store = await place.open();
      await store.saveCheckpoint({ sessionId: "s", context: {} });
      expect((await store.tagSession({ sessionId: "s", add: ["urgent", "billing"] })).tags).toEqual(["urgent", "billing"]);
      expect((await store.findCheckpoints({ tags: ["urgent"] })).total).toBe(1);
      expect((await store.tagSession({ sessionId: "s", remove: ["urgent", "never there"] })).tags).toEqual(["billing"]);
      expect((await refusalOf(store.tagSession({ sessionId: "none", add: ["x"] }))).code).toBe("SESSION_NOT_FOUND");
      expect((await refusalOf(store.tagSession({ sessionId: "s", add: [""] }))).code).toBe("INVALID_INPUT");
      const many = Array.from({ length: 100 }, (_, index) => `tag ${index}`);
      expect((await refusalOf(store.tagSession({ sessionId: "s", add: many }))).message).toBe("A session has at most 100 tags.");
    }));

  it("counts the sessions of each tag, of one project or of all", () =>
    at(async (place) => {
      await using store = await place.open({ project: "/a" });
      for (let index = 0; index < 101; index += 1) {
        await store.saveCheckpoint({ sessionId: `s${index}`, context: {} });
        await store.tagSession({ sessionId: `s${index}`, add: index === 0 ? ["__proto__", "billing"] : ["billing"] });
      }
      await store.saveCheckpoint({ sessionId: "other", context: {}, project: "/b" });
      await store.tagSession({ sessionId: "other", add: ["urgent", "__proto__"] });
      expect([...(await store.listTags())]).toEqual([
        ["billing", 101],
        ["__proto__", 1],
      ]);
      expect([...(await store.listTags({ project: null }))]).toEqual([
        ["billing", 101],
        ["__proto__", 2],
        ["urgent", 1],
      ]);
      expect([...(await store.listTags({ project: "/elsewhere" }))]).toEqual([]);
    }));

  it("removes checkpoints by their ids, of several sessions, and leaves the others", () =>
    at(async (place) => {
      await using store = await place.open();
      for (const [sessionId, checkpointId] of [
        ["a", "a1"],
        ["a", "a2"],
        ["b", "b1"],
      ] as const) {
        await store.saveCheckpoint({ sessionId, checkpointId, context: { checkpointId } });
      }
      const { removed } = await store.cleanUp({ checkpointIds: ["a1", "b1"] });
      expect(removed.map(({ checkpointIds, to }) => [...checkpointIds, to])).toEqual([
        ["a1", "trash"],
        ["b1", "trash"],
      ]);
      expect((await store.findCheckpoints()).checkpoints.map(({ id }) => id)).toEqual(["a2"]);
      expect(await refusalOf(store.cleanUp({ checkpointIds: ["a2", "a1"] }))).toMatchObject({ code: "CHECKPOINT_NOT_FOUND" });
      expect((await store.findCheckpoints()).total).toBe(1);
    }));
});
