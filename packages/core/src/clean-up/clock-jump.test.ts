import { array, assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionId } from "../model/ids.ts";
import { lastJump, sessionSinceJump, sinceJump } from "./clock-jump.ts";

const HOUR = 60 * 60 * 1_000;
const DAY = 24 * HOUR;
const NOW = new Date("2026-03-01T00:00:00.000Z");

function at(days: number): Date {
  return new Date(NOW.getTime() + days * DAY);
}

describe("the last jump of the clock", () => {
  it("is undefined when the clock never advanced by more than a week at once", () => {
    expect(lastJump([at(0), at(-1), at(-8), at(-14)], NOW)).toBeUndefined();
  });

  it("is now when there are no rows", () => {
    expect(lastJump([], NOW)).toEqual(NOW);
  });

  it("is now when the clock was set forward or back since the newest row", () => {
    expect(lastJump([at(-365), at(-366)], NOW)).toEqual(NOW);
    expect(lastJump([at(365), at(-1)], NOW)).toEqual(NOW);
  });

  it("is the time of return after a year forward and back", () => {
    expect(lastJump([at(-1), at(-2), at(364), at(363), at(-3), at(-4)], NOW)).toEqual(at(-2));
  });

  it("ignores rows slightly out of order, as several processes write them", () => {
    expect(lastJump([at(-1), at(-1 + 0.5 / 24), at(-2)], NOW)).toBeUndefined();
  });

  it("bounds every age by the time passed since the jump", () => {
    expect.hasAssertions();
    assert(
      property(array(integer({ min: -1_000, max: 1_000 }), { maxLength: 20 }), integer({ min: -1_000, max: 1_000 }), (rows, used) => {
        const jumpedAt = lastJump(
          rows.map((days) => at(days)),
          NOW,
        );
        const age = NOW.getTime() - sinceJump(at(used), jumpedAt).getTime();
        const sinceUse = 0 - used * DAY;
        expect(age).toBe(jumpedAt === undefined ? sinceUse : Math.min(sinceUse, NOW.getTime() - jumpedAt.getTime()));
      }),
    );
  });
});

describe("a session since the jump", () => {
  const session = (lastAccessedAt: Date, shieldedUntil: Date | undefined) => {
    const checkpoint = { id: "c", bytes: 1, project: undefined, isKept: false, canBeHead: true, shieldedUntil } as never;
    return { id: "s" as SessionId, lastAccessedAt, isKept: false, checkpoints: [checkpoint] };
  };

  it("counts as used at the jump, unless used later, and its handles hold from the jump on", () => {
    expect(sessionSinceJump(session(at(-400), at(-393)), at(-1), 7 * DAY)).toEqual(session(at(-1), at(6)));
    expect(sessionSinceJump(session(at(-0.5), undefined), at(-1), 7 * DAY)).toEqual(session(at(-0.5), undefined));
    expect(sessionSinceJump(session(at(-400), at(-393)), undefined, 7 * DAY)).toEqual(session(at(-400), at(-393)));
  });
});
