import { array, assert, boolean, constant, double, integer, option, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import { bytesOf, type CleanUpPlan, type SessionView, type StoreView, type TrashView } from "./plan.ts";
import { planUpkeep, type UpkeepPolicy } from "./plan-upkeep.ts";

const NOW = new Date("2026-03-01T00:00:00.000Z");
const DAY = 86_400_000;
const POLICY: UpkeepPolicy = {
  retentionMs: 30 * DAY,
  asideMs: 7 * DAY,
  trashMs: 7 * DAY,
  trashBytes: 100,
  quota: { above: 900, downTo: 800 },
};

function daysAgo(days: number): Date {
  return new Date(NOW.getTime() - days * DAY);
}

const size = integer({ min: 1, max: 60 });
const session = record({
  unusedDays: integer({ min: 0, max: 60 }),
  isKept: boolean(),
  isInUse: boolean(),
  checkpoints: array(record({ bytes: size, isKept: boolean(), isHeld: boolean(), isUnusedAside: boolean() }), {
    minLength: 1,
    maxLength: 8,
  }),
});
const entry = record({ days: integer({ min: 0, max: 12 }), bytes: size, session: integer({ min: 0, max: 3 }) });
const policy = record({
  retentionMs: option(
    integer({ min: 1, max: 40 }).map((days) => days * DAY),
    { nil: undefined },
  ),
  asideMs: constant(7 * DAY),
  trashMs: integer({ min: 0, max: 10 }).map((days) => days * DAY),
  trashBytes: integer({ min: 0, max: 300 }),
  quota: record({ above: integer({ min: 0, max: 1_000 }), share: double({ min: 0, max: 1, noNaN: true }) }).map(({ above, share }) => {
    return { above, downTo: Math.floor(above * share) };
  }),
});

/** A store with the set of its sessions in use. */
const store = record({ sessions: array(session, { maxLength: 8 }), trash: array(entry, { maxLength: 8 }) }).map((given) => {
  const used = given.sessions.toSorted((one, other) => other.unusedDays - one.unusedDays);
  const sessions = used.map(({ unusedDays, isKept, checkpoints }, index): SessionView => {
    const id = `s${index}` as SessionId;
    const views = checkpoints.map(({ bytes, isKept: isOneKept, isHeld, isUnusedAside }, place) => {
      const checkpointId = `${id}-${place}${isUnusedAside ? ASIDE : ""}` as CheckpointId;
      // A shield that ends now no longer holds.
      const shieldedUntil = isHeld ? new Date(NOW.getTime() + 1) : NOW;
      return { bytes, isKept: isOneKept, id: checkpointId, project: undefined, canBeHead: !isUnusedAside, shieldedUntil };
    });
    return { id, lastAccessedAt: daysAgo(unusedDays), isKept, checkpoints: views };
  });
  const trash = given.trash
    .toSorted((one, other) => other.days - one.days)
    .map(({ days, bytes, session: of }, index): TrashView => {
      return { id: `t${index}` as CheckpointId, sessionId: `s${of}` as SessionId, bytes, trashedAt: daysAgo(days) };
    });
  const inUse = new Set(used.flatMap(({ isInUse }, index) => (isInUse ? [`s${index}` as SessionId] : [])));
  return { view: viewOf(sessions, trash), inUse };
});

/** Suffix of the id of an aside that was unused for long. */
const ASIDE = "-aside";

function viewOf(sessions: readonly SessionView[], trash: readonly TrashView[]): StoreView {
  const asides = sessions
    .map((each) => ({ ...each, checkpoints: each.checkpoints.filter(({ id }) => id.endsWith(ASIDE)) }))
    .filter(({ checkpoints }) => checkpoints.length > 0);
  return { sessions, asides, automatic: [], trash, bytes: bytesOf(trash) + bytesOf(sessions.flatMap(({ checkpoints }) => checkpoints)) };
}

/** Applies a plan to a store. Fails when a checkpoint is not where it is moved from. */
function carriedOut({ sessions, trash }: StoreView, { moves }: CleanUpPlan): StoreView {
  const live = new Map(sessions.flatMap(({ id, checkpoints }) => checkpoints.map((each) => [each.id, { ...each, sessionId: id }])));
  const trashed = new Map(trash.map((each) => [each.id, each]));
  for (const { sessionId, checkpoints, from, to, bytes } of moves) {
    const moved = checkpoints.map((id) => {
      const there = from === "live" ? live.get(id) : trashed.get(id);
      if (there?.sessionId !== sessionId) throw new Error(`${id} is not there.`);
      live.delete(id);
      trashed.delete(id);
      if (to === "trash") trashed.set(id, { id, sessionId, bytes: there.bytes, trashedAt: NOW });
      return there;
    });
    if (bytes !== bytesOf(moved)) throw new Error(`${bytes} are not the bytes of ${checkpoints.join(", ")}.`);
  }
  const left = sessions.map((each) => ({ ...each, checkpoints: each.checkpoints.filter(({ id }) => live.has(id)) }));
  return viewOf(
    left.filter(({ checkpoints }) => checkpoints.length > 0),
    [...trashed.values()],
  );
}

function age(at: Date): number {
  return NOW.getTime() - at.getTime();
}

function free({ id, isKept, checkpoints }: SessionView, inUse: ReadonlySet<SessionId>): SessionView["checkpoints"] {
  return isKept || inUse.has(id) ? [] : checkpoints.filter((each) => !each.isKept && !isHeld(each));
}

function isHeld({ shieldedUntil }: SessionView["checkpoints"][number]): boolean {
  return shieldedUntil !== undefined && shieldedUntil > NOW;
}

type LiveMove = Extract<CleanUpPlan["moves"][number], { from: "live" }>;

type Given = { readonly view: StoreView; readonly inUse: ReadonlySet<SessionId> };

/** Fails, with an example, unless the two returned values are equal for every store and policy. */
function alwaysEqual(facts: (given: Given, policy: UpkeepPolicy, plan: CleanUpPlan) => readonly [unknown, unknown]): void {
  assert(
    property(store, policy, (given, rules) => {
      const [one, other] = facts(given, rules, planUpkeep(given.view, rules, { inUse: given.inUse, now: NOW }));
      expect(one).toEqual(other);
    }),
  );
}

describe("planUpkeep, for any store and policy,", () => {
  it("never removes kept or shielded checkpoints, nor used ones except unused asides", () => {
    expect.hasAssertions();
    alwaysEqual(({ view, inUse }, _, { moves }) => {
      const all = [...view.sessions.flatMap((each) => free(each, inUse)), ...view.asides.flatMap((each) => free(each, new Set()))];
      const mayGo = new Set(all.map(({ id }) => id));
      const going = moves.filter(({ from }) => from === "live").flatMap(({ checkpoints }) => checkpoints);
      return [going.filter((id) => !mayGo.has(id)), []];
    });
  });

  it("removes every long-unused aside, even of a session in use", () => {
    expect.hasAssertions();
    alwaysEqual(({ view }, _, plan) => [carriedOut(view, plan).asides.flatMap((each) => free(each, new Set())), []]);
  });

  it("removes everything unused for long and shrinks the trash to its limit, except new entries", () => {
    expect.hasAssertions();
    alwaysEqual(({ view, inUse }, rules, plan) => {
      const after = carriedOut(view, plan);
      const unused = after.sessions.filter(({ lastAccessedAt }) => age(lastAccessedAt) >= (rules.retentionMs ?? Infinity));
      const old = after.trash.filter(({ trashedAt }) => age(trashedAt) >= rules.trashMs);
      const canLeave = bytesOf(after.trash) > rules.trashBytes ? after.trash.filter(({ trashedAt }) => age(trashedAt) >= DAY) : [];
      return [[...unused.flatMap((each) => free(each, inUse)), ...old, ...canLeave], []];
    });
  });

  it("leaves a store too full only when everything left is kept, shielded or in use", () => {
    expect.hasAssertions();
    alwaysEqual(({ view, inUse }, rules, plan) => {
      const after = carriedOut(view, plan);
      const canGo = [...after.sessions.flatMap((each) => free(each, inUse)), ...after.trash];
      return [after.bytes > rules.quota.above && canGo.length > 0, false];
    });
  });

  it("frees no more than needed, least recently used first", () => {
    expect.hasAssertions();
    alwaysEqual(({ view, inUse }, rules, plan) => {
      const last = plan.moves.findLast(({ from, reason }) => from === "live" && reason === "quota");
      if (last === undefined) return [true, true];
      const after = carriedOut(view, plan);
      const place = view.sessions.findIndex(({ id }) => id === last.sessionId);
      const earlier = new Set(view.sessions.slice(0, place + 1).map(({ id }) => id));
      const left = after.sessions.filter(({ id }) => earlier.has(id)).flatMap((each) => free(each, inUse));
      return [
        [after.bytes + last.bytes > rules.quota.downTo, left, after.trash],
        [true, [], []],
      ];
    });
  });

  it("finds nothing to do after its plan is carried out", () => {
    expect.hasAssertions();
    alwaysEqual(({ view, inUse }, rules, plan) => [planUpkeep(carriedOut(view, plan), rules, { inUse, now: NOW }).moves, []]);
  });

  it("removes a session only while it is unused", () => {
    expect.hasAssertions();
    alwaysEqual(({ view }, _, { moves }) => {
      const lastUses = new Map(view.sessions.map(({ id, lastAccessedAt }) => [id, lastAccessedAt]));
      const live = moves.filter((move) => move.from === "live" && move.reason !== "aside-age") as readonly LiveMove[];
      return [live.map(({ unlessUsedSince }) => unlessUsedSince), live.map(({ sessionId }) => lastUses.get(sessionId))];
    });
  });
});

describe("planUpkeep", () => {
  const checkpoint = (id: string, bytes: number, isKept = false): SessionView["checkpoints"][number] => {
    return { id: id as CheckpointId, bytes, project: undefined, isKept, canBeHead: true, shieldedUntil: undefined };
  };
  const aSession = (id: string, days: number, ...checkpoints: SessionView["checkpoints"]): SessionView => {
    return { id: id as SessionId, lastAccessedAt: daysAgo(days), isKept: false, checkpoints };
  };
  const summary = (plan: CleanUpPlan): readonly string[] =>
    plan.moves.map(({ checkpoints, to, reason }) => `${checkpoints.join(" ")} -> ${to}: ${reason}`);

  it("moves a session to the trash exactly when its retention ends", () => {
    const view = viewOf([aSession("old", 30, checkpoint("a", 5)), aSession("young", 29.9, checkpoint("b", 5))], []);
    expect(summary(planUpkeep(view, POLICY, { inUse: new Set(), now: NOW }))).toEqual(["a -> trash: retention"]);
  });

  it("never does so without a retention", () => {
    const view = viewOf([aSession("old", 3_000, checkpoint("a", 5))], []);
    expect(planUpkeep(view, { ...POLICY, retentionMs: undefined }, { inUse: new Set(), now: NOW })).toEqual({ moves: [], spared: [] });
  });

  it("frees space from the trash first, then from whole sessions, least recently used first", () => {
    const trash = [{ id: "t" as CheckpointId, sessionId: "x" as SessionId, bytes: 50, trashedAt: daysAgo(1) }];
    const sessions = [
      aSession("a", 20, checkpoint("a1", 40), checkpoint("a2", 40)),
      aSession("b", 10, checkpoint("b1", 500), checkpoint("b2", 10, true)),
      aSession("c", 5, checkpoint("c1", 350)),
    ];
    const plan = planUpkeep(viewOf(sessions, trash), POLICY, { inUse: new Set(), now: NOW });
    expect(summary(plan)).toEqual(["t -> nowhere: quota", "a1 a2 -> nowhere: quota", "b1 -> nowhere: quota"]);
    expect(plan.spared).toEqual([{ sessionId: "b", why: "keep", checkpoints: 1, bytes: 10 }]);
  });

  it("skips and reports sessions in use", () => {
    const plan = planUpkeep(viewOf([aSession("a", 40, checkpoint("a1", 40))], []), POLICY, {
      inUse: new Set(["a" as SessionId]),
      now: NOW,
    });
    expect(plan).toEqual({ moves: [], spared: [{ sessionId: "a", why: "in-use", checkpoints: 1, bytes: 40 }] });
  });

  it("keeps new entries in the trash for a day, however large they are", () => {
    const sessions = [1, 2, 3, 4].map((n) => aSession(`s${n}`, 90 - n, checkpoint(`c${n}`, 60)));
    const view = viewOf(sessions, []);
    const first = planUpkeep(view, POLICY, { inUse: new Set(), now: NOW });
    expect(summary(first)).toEqual([1, 2, 3, 4].map((n) => `c${n} -> trash: retention`));
    const after = carriedOut(view, first);
    const later = (hours: number): readonly string[] => {
      return summary(planUpkeep(after, POLICY, { inUse: new Set(), now: new Date(NOW.getTime() + hours * 3_600_000) }));
    };
    expect(later(23.9)).toEqual([]);
    expect(later(24)).toEqual(["c1 -> nowhere: trash-share", "c2 -> nowhere: trash-share", "c3 -> nowhere: trash-share"]);
  });

  it("does not wait a day when the store is too full", () => {
    const sessions = [aSession("old", 40, checkpoint("a", 500)), aSession("young", 1, checkpoint("b", 450))];
    expect(summary(planUpkeep(viewOf(sessions, []), POLICY, { inUse: new Set(), now: NOW }))).toEqual([
      "a -> trash: retention",
      "a -> nowhere: quota",
    ]);
  });

  it("skips and reports checkpoints until their handle expires", () => {
    const held = { ...checkpoint("a1", 40), shieldedUntil: new Date(NOW.getTime() + 1) };
    const over = { ...checkpoint("a2", 40), shieldedUntil: NOW };
    const plan = planUpkeep(viewOf([aSession("a", 40, held, over)], []), POLICY, { inUse: new Set(), now: NOW });
    expect(summary(plan)).toEqual(["a2 -> trash: retention"]);
    expect(plan.spared).toEqual([{ sessionId: "a", why: "handle", checkpoints: 1, bytes: 40 }]);
  });

  it("removes unused asides permanently, and frees no more than needed besides", () => {
    const sessions = [aSession("a", 20, checkpoint("a1", 400), checkpoint("a2-aside", 150)), aSession("b", 0, checkpoint("b1", 400))];
    const plan = planUpkeep(viewOf(sessions, []), POLICY, { inUse: new Set(["b" as SessionId]), now: NOW });
    expect(summary(plan)).toEqual(["a2-aside -> nowhere: aside-age"]);
  });

  it("removes unused sessions permanently without a trash", () => {
    const plan = planUpkeep(
      viewOf([aSession("a", 40, checkpoint("a1", 40))], []),
      { ...POLICY, trashMs: 0 },
      { inUse: new Set(), now: NOW },
    );
    expect(summary(plan)).toEqual(["a1 -> nowhere: retention"]);
  });

  it("moves a session of more checkpoints than a function takes arguments", () => {
    const checkpoints = Array.from({ length: 200_000 }, (_, index) => checkpoint(`a${index}`, 0));
    const plan = planUpkeep(viewOf([{ ...aSession("a", 40), checkpoints }], []), POLICY, { inUse: new Set(), now: NOW });
    expect(plan.moves.map((move) => move.checkpoints.length)).toEqual([200_000]);
  });
});
