import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import { planThinning } from "./plan-thinning.ts";
import type { AutomaticSession } from "./plan.ts";

const NOW = new Date("2026-03-31T12:00:00Z");
const HOUR_MS = 3_600_000;

/** Session with one checkpoint at each age in hours, oldest first. */
function session(...ages: readonly number[]): AutomaticSession {
  const sorted = ages.toSorted((left, right) => right - left);
  return {
    id: "s" as SessionId,
    lastAccessedAt: NOW,
    isKept: false,
    checkpoints: sorted.map((age, at) => ({
      id: `c${at}` as CheckpointId,
      bytes: 1,
      project: undefined,
      isKept: false,
      canBeHead: true,
      shieldedUntil: undefined,
      createdAt: new Date(NOW.getTime() - age * HOUR_MS),
      isHead: at === sorted.length - 1,
    })),
  };
}

const removedIds = (given: AutomaticSession): readonly string[] =>
  planThinning([given], "trash", { now: NOW, inUse: new Set() }).moves.flatMap(({ checkpoints }) => checkpoints);

describe("planThinning", () => {
  it("keeps every checkpoint of the last day", () => {
    expect(removedIds(session(0, 0.1, 0.2, 5, 23.9))).toEqual([]);
  });

  it("keeps the last checkpoint of each hour for a week", () => {
    expect(removedIds(session(30.9, 30.5, 30.1, 31.5, 0))).toEqual(["c1", "c2"]);
  });

  it("keeps the last checkpoint of each day after a week", () => {
    expect(removedIds(session(24 * 10, 24 * 10 - 1, 24 * 10 - 2, 24 * 12, 0))).toEqual(["c1", "c2"]);
  });

  it("keeps the head at any age, and checkpoints tagged keep or in use", () => {
    const old = session(905, 905.1, 905.2);
    expect(removedIds(old)).toEqual(["c0", "c1"]);
    expect(removedIds({ ...old, isKept: true })).toEqual([]);
    const { moves, spared } = planThinning([old], "trash", { now: NOW, inUse: new Set([old.id]) });
    expect([moves, spared]).toEqual([[], [{ sessionId: "s", why: "in-use", checkpoints: 2, bytes: 2 }]]);
  });

  it("removes nothing in a second run, and keeps a checkpoint of every day", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 2_000, noNaN: true }), { minLength: 1, maxLength: 60 }), (ages) => {
        const given = session(...ages);
        const gone = new Set(removedIds(given));
        const left = given.checkpoints.filter(({ id }) => !gone.has(id));
        expect(removedIds({ ...given, checkpoints: left })).toEqual([]);
        const days = (all: typeof left): Set<number> =>
          new Set(all.map(({ createdAt }) => Math.floor(createdAt.getTime() / (24 * HOUR_MS))));
        expect(days(left)).toEqual(days([...given.checkpoints]));
      }),
    );
  });
});
