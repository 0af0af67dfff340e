import { describe, expect, it } from "vitest";
import { KINDS, refusalOf } from "./stores.ts";

describe.each(KINDS)("erasing several sessions in $kind", ({ at }) => {
  it("takes all of them, compacted or not, and leaves other checkpoints unchanged", () =>
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

  it("only unlinks files with overwrites: false, and still forgets the sessions", () =>
    at(async (place) => {
      const first = await place.open();
      const ids: string[] = [];
      for (const sessionId of ["a", "b", "a", "a"]) {
        const saved = await first.saveCheckpoint({ sessionId, context: { id: ids.length, text: "the same words in each ".repeat(200) } });
        ids.push(saved.checkpointId);
      }
      await first.close();
      await using workrail = await place.open();
      expect(await workrail.erase({ sessionId: "a", overwrites: false })).toMatchObject({ left: [], unreadable: [] });
      const { sessions } = await workrail.listSessions({ project: null });
      expect(sessions.map(({ id }) => id)).toEqual(["b"]);
      const refusal = await refusalOf(workrail.loadCheckpoint({ checkpointId: ids[0] ?? "" }));
      // It does not say that nothing is left.
      expect(refusal).toMatchObject({ code: "CHECKPOINT_NOT_FOUND", details: { checkpointId: ids[0] } });
      expect(refusal.details).not.toHaveProperty("reason");
      expect(await refusalOf(workrail.erase({ sessionId: "a", overwrites: false }))).toMatchObject({ code: "SESSION_NOT_FOUND" });
      expect((await workrail.erase({ checkpointIds: [ids[1] ?? ""], overwrites: false })).erased).toHaveLength(1);
      expect((await workrail.listSessions({ project: null })).sessions).toEqual([]);
      expect((await workrail.searchCheckpoints({ query: "words" })).hits).toEqual([]);
      expect(await workrail.verifyStore()).toMatchObject({ findings: [] });
      expect(await workrail.collectGarbage()).toMatchObject({ blobs: 0, quarantined: 0 });
    }));

  it("erases nothing when a session is missing", () =>
    at(async (place) => {
      await using workrail = await place.open();
      await workrail.saveCheckpoint({ sessionId: "a", context: { step: 1 } });
      expect(await refusalOf(workrail.erase({ sessionIds: ["a", "missing"] }))).toMatchObject({ code: "SESSION_NOT_FOUND" });
      expect(await refusalOf(workrail.erase({ sessionIds: ["a"], sessionId: "a" }))).toMatchObject({ code: "INVALID_INPUT" });
      expect((await workrail.findCheckpoints({ sessionId: "a" })).total).toBe(1);
    }));
});
