import { describe, expect, it } from "vitest";
import { KINDS, refusalOf } from "./stores.ts";

describe.each(KINDS)("a checkpoint without a parent in $kind", ({ at }) => {
  it("starts a new line in its session, is the latest, and survives a rebuild", () =>
    at(async (place) => {
      let workrail = await place.open();
      const first = await workrail.saveCheckpoint({ sessionId: "s", context: { goal: "one", plan: ["a"] } });
      const anew = await workrail.saveCheckpoint({ sessionId: "s", context: { goal: "two" }, parentId: null });
      expect(anew).toMatchObject({ status: "SAVED", parentId: null });
      expect(anew).not.toHaveProperty("droppedKeys");
      const next = await workrail.saveCheckpoint({ sessionId: "s", patch: { set: { step: 1 } } });
      expect(next.parentId).toBe(anew.checkpointId);

      await workrail.close();
      place.loseCatalog();
      workrail = await place.open();
      const { headId, checkpoints } = await workrail.traceSession({ sessionId: "s" });
      expect(headId).toBe(next.checkpointId);
      expect(checkpoints.map(({ id, parentId }) => [id, parentId])).toEqual([
        [next.checkpointId, anew.checkpointId],
        [anew.checkpointId, null],
        [first.checkpointId, null],
      ]);
      expect((await workrail.loadCheckpoint({ sessionId: "s" })).context).toEqual({ goal: "two", step: 1 });
      await workrail.close();
    }));

  it("is refused for a patch, which needs a base", () =>
    at(async (place) => {
      await using workrail = await place.open();
      await workrail.saveCheckpoint({ sessionId: "s", context: { goal: "one" } });
      const refusal = await refusalOf(workrail.saveCheckpoint({ sessionId: "s", patch: { set: { step: 1 } }, parentId: null }));
      expect(refusal.code).toBe("SESSION_NOT_FOUND");
    }));

  it("is skipped when the latest has the same content, and reports the ignored fields", () =>
    at(async (place) => {
      await using workrail = await place.open();
      await workrail.saveCheckpoint({ sessionId: "s", context: { step: 1 } });
      await workrail.saveCheckpoint({ sessionId: "s", context: { step: 2 } });
      const again = await workrail.saveCheckpoint({ sessionId: "s", context: { step: 2 }, parentId: null });
      expect(again).toMatchObject({ status: "SKIPPED_UNCHANGED", ignored: ["parentId"] });
    }));
});
