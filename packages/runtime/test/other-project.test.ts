import { describe, expect, it } from "vitest";
import { KINDS, refusalOf } from "./stores.ts";

describe.each(KINDS)("a session of another project in a store of $kind", ({ at }) => {
  it("is saved to and resumed, and each answer names its project", () =>
    at(async (place) => {
      {
        await using a = await place.open({ project: "/work/a" });
        expect(await a.saveCheckpoint({ sessionId: "main", context: { goal: "of a" } })).not.toHaveProperty("warning");
      }
      await using b = await place.open({ project: "/work/b" });
      const warning = expect.stringContaining("belongs to the project /work/a");
      expect(await b.saveCheckpoint({ sessionId: "main", context: { goal: "of b" } })).toMatchObject({ status: "SAVED", warning });
      expect(await b.saveCheckpoint({ sessionId: "main", context: { goal: "of b" } })).toMatchObject({
        status: "SKIPPED_UNCHANGED",
        warning,
      });
      expect(await b.resumeWork({ sessionId: "main" })).toMatchObject({ status: "LOADED", warning });
      expect(await b.resumeWork({ sessionId: "main", depth: "summary" })).toMatchObject({ status: "LOADED", warning });
      expect(await b.handoff({ sessionId: "main" })).toMatchObject({ warning });
      expect(await b.viewCheckpoint({ sessionId: "main", budgetTokens: 2_000 })).toMatchObject({ warning });
      expect(await b.loadCheckpoint({ sessionId: "main" })).toMatchObject({
        warning,
        metadata: { project: "/work/b", sessionProject: "/work/a" },
      });
      expect((await b.findCheckpoints()).checkpoints).toMatchObject([{ project: "/work/b", sessionProject: "/work/a" }]);
      expect((await b.listSessions()).sessions).toMatchObject([{ id: "main", project: "/work/a", latest: { project: "/work/b" } }]);
      expect(await b.saveCheckpoint({ sessionId: "own", context: { a: 1 } })).not.toHaveProperty("warning");
      await b.close();
      await using a = await place.open({ project: "/work/a" });
      expect(await a.loadCheckpoint({ sessionId: "main" })).not.toHaveProperty("warning");
      expect(await a.saveCheckpoint({ sessionId: "main", context: { goal: "of a again" } })).not.toHaveProperty("warning");
    }));

  it("keeps its project after the removal of its first checkpoints, and after the loss of the catalog", () =>
    at(async (place) => {
      const env = { WORKRAIL_MAX_CHECKPOINTS: "3" };
      {
        await using a = await place.open({ project: "/work/a", env });
        await a.saveCheckpoint({ sessionId: "main", context: { step: 0 } });
      }
      {
        await using b = await place.open({ project: "/work/b", env });
        for (let step = 1; step < 6; step++) await b.saveCheckpoint({ sessionId: "main", context: { step } });
        expect((await b.findCheckpoints({ sessionId: "main" })).total).toBe(3);
      }
      place.loseCatalog();
      await using b = await place.open({ project: "/work/b", env });
      expect(await b.saveCheckpoint({ sessionId: "main", context: { step: 6 } })).toMatchObject({
        warning: expect.stringContaining("/work/a"),
      });
    }));

  it("keeps having no project when its first save had none, and is accepted everywhere", () =>
    at(async (place) => {
      {
        await using nowhere = await place.open({ project: null });
        await nowhere.saveCheckpoint({ sessionId: "main", context: { step: 0 } });
      }
      await using b = await place.open({ project: "/work/b", env: { WORKRAIL_ISOLATION: "strict" } });
      for (const step of [1, 2]) expect(await b.saveCheckpoint({ sessionId: "main", context: { step } })).not.toHaveProperty("warning");
      expect((await b.loadCheckpoint({ sessionId: "main" })).metadata).not.toHaveProperty("sessionProject");
    }));

  it("cannot be continued by its name when projects are isolated, stays unchanged, and is loaded by a checkpoint's id", () =>
    at(async (place) => {
      const main = { sessionId: "main" };
      let checkpointId = "";
      {
        await using a = await place.open({ project: "/work/a" });
        ({ checkpointId } = await a.saveCheckpoint({ ...main, context: { goal: "of a" } }));
      }
      await using b = await place.open({ project: "/work/b", env: { WORKRAIL_ISOLATION: "strict" } });
      const calls: readonly (() => Promise<unknown>)[] = [
        () => b.saveCheckpoint({ ...main, context: { goal: "of b" } }),
        () => b.loadCheckpoint(main),
        () => b.viewCheckpoint(main),
        () => b.viewBriefly(main),
        () => b.resumeWork(main),
        () => b.handoff(main),
        () => b.markCritical({ ...main, contextKey: "goal" }),
      ];
      for (const call of calls) {
        expect(await refusalOf(call())).toMatchObject({
          code: "INVALID_INPUT",
          message: expect.stringContaining("belongs to the project /work/a"),
          details: { field: "sessionId" },
        });
      }
      const { context, warning } = await b.loadCheckpoint({ checkpointId });
      expect([context, warning]).toEqual([{ goal: "of a" }, expect.stringContaining("belongs to the project /work/a")]);
    }));
});
