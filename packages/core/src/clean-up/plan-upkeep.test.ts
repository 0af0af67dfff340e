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

/** A store, and which of its sessions are in use. */
const store = record({ sessions: array(session, { maxLength: 8 }), trash: array(entry, { maxLength: 8 }) }).map((given) => {
  const used = given.sessions.toSorted((one, other) => other.unusedDays - one.unusedDays);
  const sessions = used.map(({ unusedDays, isKept, checkpoints }, index): SessionView => {
    const id = `s${index}` as SessionId;
    const views = checkpoints.map(({ bytes, isKept: isOneKept, isHeld, isUnusedAside }, place) => {
      const checkpointId = `${id}-${place}${isUnusedAside ? ASIDE : ""}` as CheckpointId;
      // What a handle held until now it holds no more.
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

/** At the end of the id of an aside that was not used for long. */
const ASIDE = "-aside";

function viewOf(sessions: readonly SessionView[], trash: readonly TrashView[]): StoreView {
  const asides = sessions
    .map((each) => ({ ...each, checkpoints: each.checkpoints.filter(({ id }) => id.endsWith(ASIDE)) }))
    .filter(({ checkpoints }) => checkpoints.length > 0);
  return { sessions, asides, automatic: [], trash, bytes: bytesOf(trash) + bytesOf(sessions.flatMap(({ checkpoints }) => checkpoints)) };
}

/** What a store is once a plan was carried out. Fails when something is not where it is moved from. */
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

/** Fails, with an example, unless the two things that it is asked for are equal whatever the store and the policy. */
function alwaysEqual(facts: (given: Given, policy: UpkeepPolicy, plan: CleanUpPlan) => readonly [unknown, unknown]): void {
  assert(
    property(store, policy, (given, rules) => {
      const [one, other] = facts(given, rules, planUpkeep(given.view, rules, given.inUse, NOW));
      expect(one).toEqual(other);
    }),
  );
}

describe("planUpkeep, whatever the store and the policy,", () => {
  it("touches nothing that is kept, held by a handle or, but for unused asides, in use", () => {
    expect.hasAssertions();
    alwaysEqual(({ view, inUse }, _, { moves }) => {
      const all = [...view.sessions.flatMap((each) => free(each, inUse)), ...view.asides.flatMap((each) => free(each, new Set()))];
      const mayGo = new Set(all.map(({ id }) => id));
      const going = moves.filter(({ from }) => from === "live").flatMap(({ checkpoints }) => checkpoints);
      return [going.filter((id) => !mayGo.has(id)), []];
    });
  });

  it("leaves no aside that was unused for long, whoever uses its session", () => {
    expect.hasAssertions();
    alwaysEqual(({ view }, _, plan) => [carriedOut(view, plan).asides.flatMap((each) => free(each, new Set())), []]);
  });

  it("leaves nothing that was unused for long, and a trash as small as it may be, but for what is new there", () => {
    expect.hasAssertions();
    alwaysEqual(({ view, inUse }, rules, plan) => {
      const after = carriedOut(view, plan);
      const unused = after.sessions.filter(({ lastAccessedAt }) => age(lastAccessedAt) >= (rules.retentionMs ?? Infinity));
      const old = after.trash.filter(({ trashedAt }) => age(trashedAt) >= rules.trashMs);
      const canLeave = bytesOf(after.trash) > rules.trashBytes ? after.trash.filter(({ trashedAt }) => age(trashedAt) >= DAY) : [];
      return [[...unused.flatMap((each) => free(each, inUse)), ...old, ...canLeave], []];
    });
  });

  it("leaves a store too full only when all of it is kept, held or in use", () => {
    expect.hasAssertions();
    alwaysEqual(({ view, inUse }, rules, plan) => {
      const after = carriedOut(view, plan);
      const canGo = [...after.sessions.flatMap((each) => free(each, inUse)), ...after.trash];
      return [after.bytes > rules.quota.above && canGo.length > 0, false];
    });
  });

  it("removes for room no more than needed, and nothing that was used later than what could have gone", () => {
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

  it("has nothing left to do at once", () => {
    expect.hasAssertions();
    alwaysEqual(({ view, inUse }, rules, plan) => [planUpkeep(carriedOut(view, plan), rules, inUse, NOW).moves, []]);
  });

  it("lets a session go only as long as nobody uses it", () => {
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

  it("puts a session into the trash on the day that it was unused for as long as that, and not before", () => {
    const view = viewOf([aSession("old", 30, checkpoint("a", 5)), aSession("young", 29.9, checkpoint("b", 5))], []);
    expect(summary(planUpkeep(view, POLICY, new Set(), NOW))).toEqual(["a -> trash: retention"]);
  });

  it("never does where there is no retention", () => {
    const view = viewOf([aSession("old", 3_000, checkpoint("a", 5))], []);
    expect(planUpkeep(view, { ...POLICY, retentionMs: undefined }, new Set(), NOW)).toEqual({ moves: [], spared: [] });
  });

  it("makes room out of the trash first, then of whole sessions, the least recently used first", () => {
    const trash = [{ id: "t" as CheckpointId, sessionId: "x" as SessionId, bytes: 50, trashedAt: daysAgo(1) }];
    const sessions = [
      aSession("a", 20, checkpoint("a1", 40), checkpoint("a2", 40)),
      aSession("b", 10, checkpoint("b1", 500), checkpoint("b2", 10, true)),
      aSession("c", 5, checkpoint("c1", 350)),
    ];
    const plan = planUpkeep(viewOf(sessions, trash), POLICY, new Set(), NOW);
    expect(summary(plan)).toEqual(["t -> nowhere: quota", "a1 a2 -> nowhere: quota", "b1 -> nowhere: quota"]);
    expect(plan.spared).toEqual([{ sessionId: "b", why: "keep", checkpoints: 1, bytes: 10 }]);
  });

  it("passes over what is in use, and says so", () => {
    const plan = planUpkeep(viewOf([aSession("a", 40, checkpoint("a1", 40))], []), POLICY, new Set(["a" as SessionId]), NOW);
    expect(plan).toEqual({ moves: [], spared: [{ sessionId: "a", why: "in-use", checkpoints: 1, bytes: 40 }] });
  });

  it("lets people take back for a day what a first run puts into the trash, however much it is", () => {
    const sessions = [1, 2, 3, 4].map((n) => aSession(`s${n}`, 90 - n, checkpoint(`c${n}`, 60)));
    const view = viewOf(sessions, []);
    const first = planUpkeep(view, POLICY, new Set(), NOW);
    expect(summary(first)).toEqual([1, 2, 3, 4].map((n) => `c${n} -> trash: retention`));
    const after = carriedOut(view, first);
    const later = (hours: number): readonly string[] => {
      return summary(planUpkeep(after, POLICY, new Set(), new Date(NOW.getTime() + hours * 3_600_000)));
    };
    expect(later(23.9)).toEqual([]);
    expect(later(24)).toEqual(["c1 -> nowhere: trash-share", "c2 -> nowhere: trash-share", "c3 -> nowhere: trash-share"]);
  });

  it("does not wait for that where the store is too full", () => {
    const sessions = [aSession("old", 40, checkpoint("a", 500)), aSession("young", 1, checkpoint("b", 450))];
    expect(summary(planUpkeep(viewOf(sessions, []), POLICY, new Set(), NOW))).toEqual(["a -> trash: retention", "a -> nowhere: quota"]);
  });

  it("passes over what a handle holds, to the moment that it runs out, and says so", () => {
    const held = { ...checkpoint("a1", 40), shieldedUntil: new Date(NOW.getTime() + 1) };
    const over = { ...checkpoint("a2", 40), shieldedUntil: NOW };
    const plan = planUpkeep(viewOf([aSession("a", 40, held, over)], []), POLICY, new Set(), NOW);
    expect(summary(plan)).toEqual(["a2 -> trash: retention"]);
    expect(plan.spared).toEqual([{ sessionId: "a", why: "handle", checkpoints: 1, bytes: 40 }]);
  });

  it("removes unused asides for good, and makes no more room than is needed beside", () => {
    const sessions = [aSession("a", 20, checkpoint("a1", 400), checkpoint("a2-aside", 150)), aSession("b", 0, checkpoint("b1", 400))];
    const plan = planUpkeep(viewOf(sessions, []), POLICY, new Set(["b" as SessionId]), NOW);
    expect(summary(plan)).toEqual(["a2-aside -> nowhere: aside-age"]);
  });

  it("without a trash removes for good what was unused", () => {
    const plan = planUpkeep(viewOf([aSession("a", 40, checkpoint("a1", 40))], []), { ...POLICY, trashMs: 0 }, new Set(), NOW);
    expect(summary(plan)).toEqual(["a1 -> nowhere: retention"]);
  });
});
