import { describe, expect, it } from "vitest";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import { bytesOf, type SessionView, type TrashView } from "./plan.ts";
import { planRoom } from "./plan-room.ts";

const NOW = new Date("2026-03-01T00:00:00.000Z");
const DAY = 86_400_000;

interface Shields {
  readonly isKept?: boolean;
  readonly shieldedUntil?: Date;
}

/** A session with one checkpoint of 100 bytes. */
function aSession(id: string, unusedDays: number, { isKept = false, shieldedUntil }: Shields = {}): SessionView {
  const checkpoint = { id: `${id}1` as CheckpointId, bytes: 100, project: undefined, isKept: false, canBeHead: true, shieldedUntil };
  return { id: id as SessionId, lastAccessedAt: new Date(NOW.getTime() - unusedDays * DAY), isKept, checkpoints: [checkpoint] };
}

const HELD = aSession("held", 80, { shieldedUntil: new Date(NOW.getTime() + DAY) });
const SESSIONS = [aSession("kept", 90, { isKept: true }), HELD, aSession("old", 60), aSession("busy", 3), aSession("last", 2)];
const TODAY = aSession("today", 0.9);
const TRASH: readonly TrashView[] = [3, 0].map((days) => {
  return { id: `t${days}` as CheckpointId, sessionId: "gone" as SessionId, bytes: 50, trashedAt: new Date(NOW.getTime() - days * DAY) };
});

function planned(neededBytes: number): readonly string[] {
  const store = { sessions: [...SESSIONS, TODAY], trash: TRASH, bytes: 700 };
  const { moves } = planRoom(store, neededBytes, { now: NOW, inUse: new Set(["busy" as SessionId]) });
  expect(moves.every(({ to, reason }) => to === "nowhere" && reason === "disk-full")).toBe(true);
  expect(bytesOf(moves)).toBe(moves.reduce((sum, { bytes }) => sum + bytes, 0));
  return moves.flatMap(({ checkpoints }) => checkpoints);
}

describe("planRoom", () => {
  it("removes no more than needed, from the trash first, the longest there first", () => {
    expect(planned(1)).toEqual(["t3"]);
    expect(planned(50)).toEqual(["t3"]);
    expect(planned(51)).toEqual(["t3", "t0"]);
  });

  it("then removes whole sessions, least recently used first, except kept, handle-held or used ones", () => {
    expect(planned(101)).toEqual(["t3", "t0", "old1"]);
    expect(planned(201)).toEqual(["t3", "t0", "old1", "last1"]);
  });

  it("removes no session used within a day, even in a full store", () => {
    expect(planned(10_000)).toEqual(["t3", "t0", "old1", "last1"]);
  });
});
