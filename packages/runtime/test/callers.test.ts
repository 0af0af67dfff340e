import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Embedder } from "@workrail/core";
import { describe, expect, it } from "vitest";
import { OPERATIONS } from "../src/facets/operations.ts";
import type { Caller } from "../src/isolation.ts";
import type { Operations, Workrail } from "../src/workrail.ts";
import { withFailingDisk } from "./failing-disk.ts";
import { onDisk, refusalOf } from "./stores.ts";

const [A, B, C] = ["/projects/a", "/projects/b", "/projects/c"] as const;
const ofA: Caller = { projects: [A] };
const ofAandB: Caller = { projects: [A, B] };

interface Saved {
  readonly checkpointId: string;
  readonly sessionId: string;
}

/** Saves to a session of its own, unless one is named. */
async function saved(workrail: Workrail, project: string, sessionId: string = randomUUID()): Promise<Saved> {
  return workrail.saveCheckpoint({ context: { goal: `goal of ${project}`, at: Math.random() }, project, sessionId });
}

/** Saves as a caller, who does not choose the session. */
async function savedAs(caller: Workrail): Promise<Saved> {
  return caller.saveCheckpoint({ context: { goal: "goal of a caller", at: Math.random() } });
}

describe("a caller with a right to some projects", () => {
  it("lists, counts and finds only these, one or several", () =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      for (const project of [A, B, B, C]) await saved(workrail, project);
      const [one, two] = [workrail.asCaller(ofA), workrail.asCaller(ofAandB)];
      const all = { project: null } as const;
      expect([await one.findCheckpoints(all), await two.findCheckpoints(all)]).toMatchObject([{ total: 1 }, { total: 3 }]);
      expect([await one.listSessions(all), await two.listSessions(all)]).toMatchObject([{ total: 1 }, { total: 3 }]);
      expect((await two.storeStats(all)).total).toMatchObject({ sessions: 3, checkpoints: 3 });
      expect((await two.searchCheckpoints({ query: "goal", project: null })).hits.length).toBe(3);
      expect((await two.searchCheckpoints({ query: "goal", project: C })).hits).toEqual([]);
      expect(await one.findCheckpoints({ project: C })).toMatchObject({ total: 0, checkpoints: [] });
      expect(await one.storeStatus()).toMatchObject({ sessions: 1, checkpoints: 1, quarantine: { files: 0 }, lastBackupAt: undefined });
      expect(one.dataDir).toBeUndefined();
      const each: unknown[] = [];
      for await (const { project } of two.eachCheckpoint(all)) each.push(project);
      expect(each).toEqual([B, B, A]);
    }));

  it("updates its index after its first search", () =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      const caller = workrail.asCaller(ofA);
      const count = async (): Promise<number> => (await caller.searchCheckpoints({ query: "goal" })).hits.length;
      expect(await count()).toBe(0);
      const { checkpointId } = await saved(workrail, A);
      await saved(workrail, B);
      expect(await count()).toBe(1);
      await savedAs(caller);
      expect(await count()).toBe(2);
      await workrail.erase({ checkpointIds: [checkpointId] });
      expect(await count()).toBe(1);
    }));

  it("searches by meaning only in its projects, and does not learn how much of the rest is embedded", () =>
    onDisk(async (place) => {
      const embedder: Embedder = {
        name: "test",
        dimensions: 2,
        embed: async (texts) => texts.map((text) => Float32Array.of(1, text.includes(A) ? 1 : 2)),
      };
      await using workrail = await place.open({ adapters: { embedder } });
      for (const project of [A, B, C]) await saved(workrail, project);
      const all = async (of: Workrail) => of.searchCheckpoints({ query: "unheard", project: null });
      await expect.poll(async () => (await all(workrail)).hits.length, { timeout: 10_000 }).toBe(3);
      const found = async (caller: Caller): Promise<ReadonlySet<unknown>> => {
        const { hits, meaning } = await all(workrail.asCaller(caller));
        expect(meaning).toEqual({ embedder: "test" });
        return new Set(hits.map(({ checkpoint }) => checkpoint.project));
      };
      expect([await found(ofA), await found(ofAandB)]).toEqual([new Set([A]), new Set([A, B])]);
    }));

  it("saves to its first project, to the project of a continued session, or to a named one", () =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      const inB = await saved(workrail, B);
      const caller = workrail.asCaller(ofAandB);
      const projectOf = async (checkpointId: string): Promise<unknown> =>
        (await workrail.loadCheckpoint({ checkpointId })).metadata.project;
      const context = (): object => ({ at: Math.random() });
      const first = await caller.saveCheckpoint({ context: context() });
      expect(await projectOf(first.checkpointId)).toBe(A);
      expect(await projectOf((await caller.saveCheckpoint({ context: context(), project: B })).checkpointId)).toBe(B);
      const { sessionId } = inB;
      expect(await projectOf((await caller.saveCheckpoint({ context: context(), sessionId })).checkpointId)).toBe(B);
      expect(await projectOf((await caller.saveCheckpoint({ patch: { set: { b: 1 } }, parentId: inB.checkpointId })).checkpointId)).toBe(B);
      expect(await refusalOf(caller.saveCheckpoint({ context: {}, project: C }))).toMatchObject({ code: "INVALID_INPUT" });
      expect((await workrail.findCheckpoints({ project: C })).total).toBe(0);
    }));

  it("starts no session and no checkpoint under an id of its choice, whether the id is in use or not", () =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      await saved(workrail, B, "in-use");
      const caller = workrail.asCaller(ofA);
      const attempts = ["in-use", "not-used"].flatMap((sessionId) => [undefined, A].map((project) => ({ sessionId, project })));
      for (const { sessionId, project } of attempts) {
        const { code, message, hint } = await refusalOf(caller.saveCheckpoint({ context: { a: 1 }, sessionId, project }));
        expect({ code, message, hint }).toEqual({
          code: "SESSION_NOT_FOUND",
          message: `There is no session ${sessionId}.`,
          hint: "Leave sessionId out to start a session: the answer contains its id.",
        });
      }
      const chosen = caller.saveCheckpoint({ context: { a: 1 }, checkpointId: "chosen" });
      expect(await refusalOf(chosen)).toMatchObject({ code: "INVALID_INPUT", details: { field: "checkpointId" } });
      expect((await workrail.findCheckpoints({ project: null })).total).toBe(1);
    }));

  it("derives the same session again for the same workflow and context, and never that of another project", () =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      const params = { workflowId: "flow", context: { goal: "the same" } };
      const whole = await workrail.saveCheckpoint({ ...params, project: B });
      const one = await workrail.asCaller(ofA).saveCheckpoint(params);
      const again = await workrail.asCaller(ofA).saveCheckpoint(params);
      expect(one.sessionId).not.toBe(whole.sessionId);
      expect(again).toMatchObject({ sessionId: one.sessionId, status: "SKIPPED_UNCHANGED" });
    }));

  it("reads its part of a session of several projects, without the names of the others, and cannot change the session", () =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      await saved(workrail, B, "mixed");
      const own = await saved(workrail, A, "mixed");
      await saved(workrail, B, "mixed");
      const caller = workrail.asCaller(ofA);
      const { warning, ...loaded } = await caller.loadCheckpoint({ sessionId: "mixed" });
      expect([loaded.checkpointId, warning]).toEqual([own.checkpointId, undefined]);
      expect(JSON.stringify(await caller.viewBriefly({ sessionId: "mixed", budgetTokens: 20, details: true }))).not.toContain(B);
      expect(JSON.stringify(await caller.listSessions({ project: null }))).not.toContain(B);
      expect((await caller.listSessions({ project: null })).sessions).toMatchObject([{ id: "mixed", checkpointCount: 1 }]);
      const refused = { code: "INVALID_INPUT", details: { field: "sessionId" } };
      expect(await refusalOf(saved(caller, A, "mixed"))).toMatchObject(refused);
      expect(await refusalOf(caller.markCritical({ sessionId: "mixed", contextKey: "goal" }))).toMatchObject(refused);
      expect(await refusalOf(caller.erase({ sessionId: "mixed" }))).toMatchObject(refused);
      expect(await refusalOf(caller.deleteCheckpoint({ checkpointId: own.checkpointId }))).toMatchObject(refused);
      expect(await refusalOf(caller.tagSession({ sessionId: "mixed", add: ["t"] }))).toMatchObject(refused);
      expect((await workrail.findCheckpoints({ sessionId: "mixed" })).total).toBe(3);
    }));

  it("erases its own and nothing else", () =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      const [own, others] = [await saved(workrail, A), await saved(workrail, B)];
      const caller = workrail.asCaller(ofA);
      expect(await refusalOf(caller.deleteCheckpoint({ checkpointId: others.checkpointId }))).toMatchObject({
        code: "CHECKPOINT_NOT_FOUND",
      });
      const both = { checkpointIds: [own.checkpointId, others.checkpointId] };
      expect(await refusalOf(caller.erase(both))).toMatchObject({ code: "CHECKPOINT_NOT_FOUND" });
      expect(await refusalOf(caller.erase({ sessionId: others.sessionId }))).toMatchObject({ code: "SESSION_NOT_FOUND" });
      expect((await workrail.findCheckpoints({ project: null })).total).toBe(2);
      const { checkpointId, sessionId } = own;
      expect(await caller.deleteCheckpoint({ checkpointId })).toMatchObject({ erased: [{ checkpointId, sessionId }], left: [] });
      expect((await workrail.findCheckpoints({ project: null })).total).toBe(1);
      expect(await refusalOf(caller.loadCheckpoint({ checkpointId }))).toMatchObject({ code: "CHECKPOINT_NOT_FOUND" });
    }));

  it("learns that the store is full, but not the sizes of other projects", () =>
    onDisk(async (place) => {
      await using workrail = await place.open({ env: { WORKRAIL_MAX_TOTAL_BYTES: "10000", WORKRAIL_MAX_SESSION_BYTES: "10000" } });
      const large = (): object => ({ at: Array.from({ length: 800 }, () => Math.random().toString(36)).join("") });
      await workrail.saveCheckpoint({ context: large(), project: B, metadata: { tags: ["keep"] } });
      const { code, message, details } = await refusalOf(workrail.asCaller(ofA).saveCheckpoint({ context: large() }));
      expect({ code, message, details }).toEqual({ code: "STORAGE_QUOTA_EXCEEDED", message: "The store is full.", details: {} });
    }));

  it("stores conversations in its own project", () =>
    onDisk(async (place) => {
      await using workrail = await place.open({ project: place.dataDir });
      const own = path.join(place.dataDir, "..", `own-${path.basename(place.dataDir)}`);
      fs.mkdirSync(own);
      try {
        const stored = await workrail.asCaller({ projects: [own] }).storeConversation({ conversation: "User: hello\nAssistant: hi" });
        expect(stored.file.startsWith(fs.realpathSync(own))).toBe(true);
        const { checkpointId = "" } = stored;
        expect((await workrail.loadCheckpoint({ checkpointId })).metadata.project).toBe(fs.realpathSync(own));
      } finally {
        fs.rmSync(own, { recursive: true });
      }
    }));

  it("learns only of changes in its projects", () =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      const before = await saved(workrail, B);
      const changes = workrail.asCaller(ofA).watchChanges({ project: null })[Symbol.asyncIterator]();
      expect((await changes.next()).value).toEqual({ sessions: [] });
      await saved(workrail, B);
      await workrail.erase({ sessionId: before.sessionId });
      const { sessionId } = await saved(workrail, A);
      expect((await changes.next()).value).toEqual({ sessions: [{ sessionId, change: "added" }] });
      await workrail.erase({ sessionId });
      expect((await changes.next()).value).toEqual({ sessions: [{ sessionId, change: "removed" }] });
      await changes.return?.();
    }));

  it("may not run operations on the whole store", () =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      const caller = workrail.asCaller(ofA) as unknown as Record<string, (...args: readonly unknown[]) => unknown>;
      const ofWholeStore = Object.entries(OPERATIONS).filter(([, operation]) => operation.wholeStore === true);
      for (const [name, { runs }] of ofWholeStore) {
        const answer = caller[name]?.({});
        const refused = runs === "stream" ? (answer as AsyncIterator<unknown>).next() : (answer as Promise<unknown>);
        expect(await refusalOf(refused), name).toMatchObject({ code: "INVALID_INPUT", details: { field: "projects" } });
      }
      const names: readonly (keyof Operations)[] = [
        "backup",
        "cleanUp",
        "verifyStore",
        "auditLog",
        "exportAll",
        "importText",
        "rebuildCatalog",
      ];
      expect(ofWholeStore.map(([name]) => name)).toEqual(expect.arrayContaining([...names]));
    }));

  it("can be narrowed but not widened; closing it does not close the store", () =>
    onDisk(async (place) => {
      await using workrail = await place.open();
      await saved(workrail, A);
      await saved(workrail, B);
      const caller = workrail.asCaller(ofAandB);
      expect((await caller.asCaller(ofA).findCheckpoints({ project: null })).total).toBe(1);
      expect(() => caller.asCaller({ projects: [C] })).toThrow("must be one of yours");
      expect(() => workrail.asCaller({ projects: [] as never })).toThrow("at least one project");
      expect(() => workrail.asCaller({ projects: ["relative"] })).toThrow("absolute path");
      await caller.close();
      expect((await caller.findCheckpoints({ project: null })).total).toBe(2);
      await workrail.close();
      expect(await refusalOf(caller.findCheckpoints())).toMatchObject({ details: { reason: "closed" } });
    }));

  it("sees and erases only its own work in the memory fallback", () =>
    withFailingDisk(async (disk) => {
      await using workrail = await disk.open();
      await saved(workrail, B);
      const caller = workrail.asCaller(ofA);
      disk.writing = "ENOSPC";
      const [own, others] = [await refusalOf(savedAs(caller)), await refusalOf(saved(workrail, B))];
      expect([own.details, others.details]).toMatchObject([{ retained: "memory" }, { retained: "memory" }]);
      expect((await caller.findCheckpoints({ project: null })).total).toBe(1);
      // The status counts what is on the disk: the save of another project.
      expect(await caller.storeStatus()).toMatchObject({ checkpoints: 0 });
      expect(await workrail.storeStatus()).toMatchObject({ checkpoints: 1 });
      const idOf = ({ details }: typeof own): { checkpointId: string } => ({ checkpointId: String(details["checkpointId"]) });
      expect(await refusalOf(caller.loadCheckpoint(idOf(others)))).toMatchObject({ code: "CHECKPOINT_NOT_FOUND" });
      expect(await refusalOf(caller.deleteCheckpoint(idOf(others)))).toMatchObject({ code: "CHECKPOINT_NOT_FOUND" });
      expect(await caller.loadCheckpoint(idOf(own))).toMatchObject({ durability: "memory" });
      disk.writing = undefined;
      expect(await savedAs(caller)).toMatchObject({ durability: "disk" });
      expect((await workrail.findCheckpoints({ project: null })).total).toBe(4);
    }));
});
