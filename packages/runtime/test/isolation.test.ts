import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Isolation } from "../src/config/setting-table.ts";
import type { Workrail } from "../src/workrail.ts";
import { onDisk, refusalOf } from "./stores.ts";

interface Projects {
  readonly own: string;
  readonly other: string;
}

/** Creates a store used from one project and shared with another, whose data is newer. */
function withProjects(isolation: Isolation | undefined, test: (store: Workrail, projects: Projects) => Promise<void>): Promise<void> {
  return onDisk(async (place) => {
    const [own, other] = ["own", "other"].map((name) => path.join(path.dirname(place.dataDir), name)) as [string, string];
    for (const folder of [own, other]) fs.mkdirSync(folder);
    for (const project of [own, other]) {
      await using store = await place.open({ project });
      const name = path.basename(project);
      await store.saveCheckpoint({ sessionId: name, checkpointId: `in-${name}`, context: { goal: "mend the weathervane" } });
      await store.saveCheckpoint({ sessionId: `gone-${name}`, checkpointId: `gone-${name}`, context: { goal: "old" } });
      await store.cleanUp({ sessionId: `gone-${name}` });
    }
    const env = isolation === undefined ? {} : { WORKRAIL_ISOLATION: isolation };
    await using store = await place.open({ project: own, env });
    await test(store, { own, other });
  });
}

/** Returns the session ids, in order, that each lookup finds when nothing is named. */
const LOOKS: Readonly<Record<string, (store: Workrail, projects: Projects) => Promise<readonly unknown[]>>> = {
  findCheckpoints: async (store) => (await store.findCheckpoints()).checkpoints.map(({ sessionId }) => sessionId),
  listSessions: async (store) => (await store.listSessions()).sessions.map(({ id }) => id),
  searchCheckpoints: async (store) =>
    (await store.searchCheckpoints({ query: "weathervane" })).hits.map(({ checkpoint }) => checkpoint.sessionId),
  "resumeWork by a hint": async (store) => {
    const result = await store.resumeWork({ hint: "weathervane" });
    return result.status === "CANDIDATES" ? result.candidates.map(({ sessionId }) => sessionId) : [];
  },
  "resumeWork without a word": async (store) => {
    const result = await store.resumeWork();
    return result.status === "CANDIDATES" ? result.candidates.map(({ sessionId }) => sessionId) : [];
  },
  storeStats: async (store) => (await store.storeStats()).sessions.map(({ sessionId }) => sessionId).toSorted(),
  listTrash: async (store) => (await store.listTrash()).map(({ sessionId }) => sessionId),
  "projectCheckpoints.list": async (store) => (await store.projectCheckpoints.list()).checkpoints.map(({ id }) => id),
  "projectCheckpoints.search": async (store) =>
    (await store.projectCheckpoints.search({ query: "weathervane" })).results.map(({ checkpoint }) => checkpoint.id),
};

type Found = Readonly<Record<keyof typeof LOOKS, readonly string[]>>;

async function lookAll(store: Workrail, projects: Projects): Promise<Found> {
  const found: Record<string, readonly string[]> = {};
  for (const [name, look] of Object.entries(LOOKS)) found[name] = (await look(store, projects)) as readonly string[];
  return found;
}

describe("isolation", () => {
  it.each([undefined, "own-first"] as const)("shows the own project first, and lists it alone: %s", (isolation) =>
    withProjects(isolation, async (store, projects) => {
      expect(await lookAll(store, projects)).toEqual({
        findCheckpoints: ["own"],
        listSessions: ["own"],
        searchCheckpoints: ["own", "other"],
        "resumeWork by a hint": ["own", "other"],
        "resumeWork without a word": ["own"],
        storeStats: ["own"],
        listTrash: ["gone-own", "gone-other"],
        "projectCheckpoints.list": ["in-own", "in-other"],
        "projectCheckpoints.search": ["in-own", "in-other"],
      });
      const { hits } = await store.searchCheckpoints({ query: "weathervane" });
      expect(hits.map(({ checkpoint }) => checkpoint.project)).toEqual([projects.own, projects.other]);
      expect((await store.findCheckpoints({ project: null })).total).toBe(2);
    }),
  );

  it("prefers no project when it is off: the newest or the best comes first", () =>
    withProjects("off", async (store, projects) => {
      expect(await lookAll(store, projects)).toEqual({
        findCheckpoints: ["other", "own"],
        listSessions: ["other", "own"],
        searchCheckpoints: ["other", "own"],
        "resumeWork by a hint": ["other", "own"],
        "resumeWork without a word": ["other", "own"],
        storeStats: ["other", "own"],
        listTrash: ["gone-own", "gone-other"],
        "projectCheckpoints.list": ["in-other", "in-own"],
        "projectCheckpoints.search": ["in-other", "in-own"],
      });
    }));

  it("shows only the own project when it is strict", () =>
    withProjects("strict", async (store, projects) => {
      expect(await lookAll(store, projects)).toEqual({
        findCheckpoints: ["own"],
        listSessions: ["own"],
        searchCheckpoints: ["own"],
        "resumeWork by a hint": ["own"],
        "resumeWork without a word": ["own"],
        storeStats: ["own"],
        listTrash: ["gone-own"],
        "projectCheckpoints.list": ["in-own"],
        "projectCheckpoints.search": ["in-own"],
      });
      const everything = { project: null };
      for (const look of [
        store.findCheckpoints(everything),
        store.searchCheckpoints({ query: "weathervane", ...everything }),
        store.listSessions(everything),
        store.storeStats(everything),
      ]) {
        expect(await refusalOf(look)).toMatchObject({ code: "INVALID_INPUT", details: { field: "project" } });
      }
    }));

  it("returns checkpoints by id or by path, or sessions by id, whatever their project", () =>
    withProjects("strict", async (store, { other }) => {
      expect((await store.loadCheckpoint({ checkpointId: "in-other" })).metadata.project).toBe(other);
      expect((await store.viewCheckpoint({ checkpointId: "in-other" })).checkpointId).toBe("in-other");
      expect(await store.resumeWork({ checkpointId: "in-other" })).toMatchObject({ status: "LOADED" });
      expect(await store.resumeWork({ cwd: other })).toMatchObject({ candidates: [{ sessionId: "other" }] });
      expect((await store.handoff({ checkpointId: "in-other" })).checkpointId).toBe("in-other");
      expect((await store.findCheckpoints({ project: other })).total).toBe(1);
      expect((await store.findCheckpoints({ sessionId: "other" })).total).toBe(1);
      expect((await store.searchCheckpoints({ query: "weathervane", project: other })).hits).toHaveLength(1);
      expect((await store.searchCheckpoints({ query: "weathervane", sessionId: "other" })).hits).toHaveLength(1);
      expect((await store.listSessions({ project: other })).total).toBe(1);
      expect((await store.listTrash({ sessionId: "gone-other" })).map(({ id }) => id)).toEqual(["gone-other"]);
      expect((await store.projectCheckpoints.list({ projectPath: other })).total).toBe(1);
      expect((await store.projectCheckpoints.getById("in-other")).projectPath).toBe(other);
    }));

  it("shows nothing by default when it is strict and there is no project", () =>
    onDisk(async (place) => {
      await using store = await place.open({ env: { WORKRAIL_ISOLATION: "strict" } });
      await store.saveCheckpoint({ sessionId: "s", context: { goal: "mend the weathervane" } });
      for (const look of [store.findCheckpoints(), store.listSessions(), store.storeStats(), store.searchCheckpoints({ query: "mend" })]) {
        expect(await refusalOf(look)).toMatchObject({ code: "INVALID_INPUT", details: { field: "project" } });
      }
      expect(await store.resumeWork({ hint: "weathervane" })).toMatchObject({ status: "CANDIDATES", candidates: [] });
      expect((await refusalOf(store.projectCheckpoints.list())).details).toMatchObject({ field: "projectPath" });
      expect(await store.projectCheckpoints.health()).toMatchObject({ durability: "disk" });
    }));

  it("accepts no other value, and the error suggests the closest", () =>
    onDisk(async (place) => {
      expect(await refusalOf(place.open({ env: { WORKRAIL_ISOLATION: "open" } }))).toMatchObject({
        code: "INVALID_INPUT",
        message: 'WORKRAIL_ISOLATION must be off, own-first or strict, not "open".',
      });
      expect((await refusalOf(place.open({ env: { WORKRAIL_ISOLATION: "own-fist" } }))).hint).toContain("Did you mean own-first?");
    }));
});
