import { describe, expect, it } from "vitest";
import { KINDS, refusalOf } from "./stores.ts";

describe.each(KINDS)("erasing several sessions in $kind", ({ at }) => {
  it("takes all of them, compacted or not, and leaves the others exact", () =>
    at(async (place) => {
      const context = (step: number): object => ({ step, text: "the same words in each ".repeat(200) });
      const first = await place.open();
      for (const sessionId of ["a", "b", "c"]) {
        for (let step = 0; step < 12; step++) await first.saveCheckpoint({ sessionId, context: context(step), retention: "all" });
      }
      // Closing compacts: most are now deltas of the next one.
      await first.close();
      await using workrail = await place.open();
      const { erased, left, spared } = await workrail.erase({ sessionIds: ["a", "c", "a"] });
      expect({ erased: erased.length, left, spared }).toEqual({ erased: 24, left: [], spared: [] });
      const { sessions } = await workrail.listSessions({ project: null });
      expect(sessions.map(({ id }) => id)).toEqual(["b"]);
      const { checkpoints } = await workrail.findCheckpoints({ sessionId: "b" });
      const { checkpoints: loaded } = await workrail.loadCheckpoints({ ids: checkpoints.map(({ id }) => id) });
      expect(loaded.map((each) => each.context)).toEqual(checkpoints.map((_, index) => context(11 - index)));
      expect((await workrail.verifyStore()).findings).toEqual([]);
    }));

  it("takes none when one of them is not there", () =>
    at(async (place) => {
      await using workrail = await place.open();
      await workrail.saveCheckpoint({ sessionId: "a", context: { step: 1 } });
      expect(await refusalOf(workrail.erase({ sessionIds: ["a", "missing"] }))).toMatchObject({ code: "SESSION_NOT_FOUND" });
      expect(await refusalOf(workrail.erase({ sessionIds: ["a"], sessionId: "a" }))).toMatchObject({ code: "INVALID_INPUT" });
      expect((await workrail.findCheckpoints({ sessionId: "a" })).total).toBe(1);
    }));
});
