import { describe, expect, it } from "vitest";
import type { CheckpointId } from "../../model/ids.ts";
import { type CatalogChange, changeEdges, commit, endErasures, relabel, shield, touch } from "./commit.ts";
import { anAppend, ids, RuleCatalog, S, T } from "../../../test/rule-catalog.ts";
import { decided } from "../rule.ts";
import { move } from "./move.ts";

const AT = new Date("2027-01-01T00:00:00.000Z");
const SAVE = { at: AT, action: "save", sessionId: S, checkpointId: undefined, agentId: undefined } as const;

it("lets the later parts of a change see the earlier ones", () => {
  const catalog = new RuleCatalog();
  const checkpointId = "a" as CheckpointId;
  const outcome = catalog.change(
    commit({
      append: anAppend("a"),
      pins: { sessionId: S, pin: ["plan"], release: [] },
      tags: { sessionId: S, add: ["tag"], remove: [] },
      edges: { add: [{ dependent: checkpointId, base: "b" as CheckpointId }], drop: [] },
      accesses: [{ checkpointId, at: AT }],
      shields: [
        { checkpointId, until: AT },
        { checkpointId: "gone" as CheckpointId, until: AT },
      ],
      audit: [SAVE],
    }),
  );
  const record = { id: "a", sequence: 1, lastAccessedAt: AT, shieldedUntil: AT };
  expect(outcome).toMatchObject({ status: "committed", record, shielded: [record], moved: [], forgotten: [] });
  expect(catalog.ask({ of: "session", id: S })).toMatchObject({ pins: ["plan"], tags: ["tag"], lastAccessedAt: AT, checkpointCount: 1 });
  expect(catalog.ask({ of: "checkpoint", id: checkpointId })).toMatchObject({ commit: 1, record });
  expect(catalog.facts.get(S)).toMatchObject({ pins: ["plan"], tags: ["tag"], shields: [{ checkpointId, until: AT }] });
});

it("changes each row once", () => {
  const { tables } = new RuleCatalog();
  const shields = [{ checkpointId: "a" as CheckpointId, until: AT }];
  const { rows } = decided(commit({ append: anAppend("a"), shields, audit: [] }), {
    answer: (read) => tables.answer(read),
    keepsFacts: false,
  });
  expect(rows.map(({ table, was }) => [table, was])).toEqual([
    ["session", undefined],
    ["checkpoint", undefined],
  ]);
});

it("applies nothing of a change whose append is refused", () => {
  const catalog = new RuleCatalog();
  catalog.saved("a");
  const before = catalog.ask({ of: "session", id: S });
  const change = { append: anAppend("a"), pins: { sessionId: S, pin: ["plan"], release: [] }, audit: [SAVE] };
  expect(catalog.change(commit(change))).toMatchObject({ status: "exists" });
  expect([catalog.ask({ of: "session", id: S }), catalog.tables.audit]).toEqual([before, []]);
});

it("writes the rows of the caller after the rows of the removals that the change caused", () => {
  const catalog = new RuleCatalog();
  catalog.saved("a");
  catalog.change(commit({ append: anAppend("b", {}, { keepNewest: 1 }), audit: [SAVE] }));
  expect(catalog.tables.audit.map(({ action }) => action)).toEqual(["prune", "save"]);
});

it("appends or moves, by its type: a move would read rows that an append changed", () => {
  const catalog = new RuleCatalog();
  catalog.saved("a");
  const move = { sessionId: S, checkpoints: ids("a"), from: "live", to: "trash", at: AT, reason: "test" } as const;
  // @ts-expect-error -- the type allows an append or a move
  const both: CatalogChange = { append: anAppend("b"), move, audit: [] };
  expect(() => catalog.change(commit(both))).toThrow("earlier rule changed");
  expect(catalog.ask({ of: "checkpoint", id: "b" as CheckpointId })).toBeUndefined();
});

describe("relabel", () => {
  it("adds labels behind the others, once, and removes labels", () => {
    const catalog = new RuleCatalog();
    catalog.saved("a", {}, { session: { createdAt: new Date(0), tags: [], pins: ["x", "y"] } });
    catalog.change(relabel({ sessionId: S, labels: "pins", add: ["z", "x"], remove: ["y", "unknown"] }));
    expect(catalog.ask({ of: "session", id: S })?.pins).toEqual(["x", "z"]);
    expect(catalog.facts.get(S)?.pins).toEqual(["x", "z"]);
  });

  it("skips an unknown session", () => {
    const catalog = new RuleCatalog();
    catalog.change(relabel({ sessionId: T, labels: "tags", add: ["x"], remove: [] }));
    expect([catalog.ask({ of: "session", id: T }), catalog.facts.size]).toEqual([undefined, 0]);
  });
});

describe("endErasures", () => {
  it("ends the erasure of one checkpoint, and leaves the others", () => {
    const catalog = new RuleCatalog();
    for (const id of ["a", "b"]) catalog.saved(id);
    const gone = { sessionId: S, checkpoints: ids("a", "b"), at: new Date(0), reason: "test", erases: true } as const;
    catalog.change(move({ ...gone, from: "live", to: "nowhere" }));
    catalog.change(endErasures(["a" as CheckpointId]));
    expect(catalog.ask({ of: "erasures" }).map(({ checkpointId }) => checkpointId)).toEqual(["b"]);
    expect(catalog.facts.get(S)?.erasing).toEqual(["b"]);
  });
});

describe("changeEdges", () => {
  function edge(dependent: string, base: string) {
    return { dependent: dependent as CheckpointId, base: base as CheckpointId };
  }

  it("adds edges of known dependents once, and drops edges", () => {
    const catalog = new RuleCatalog();
    for (const id of ["a", "b"]) catalog.saved(id);
    catalog.change(changeEdges({ add: [edge("a", "b"), edge("b", "gone"), edge("gone", "a")], drop: [] }));
    catalog.change(changeEdges({ add: [edge("a", "b")], drop: [] }));
    expect(catalog.ask({ of: "edges" })).toEqual([edge("a", "b"), edge("b", "gone")]);
    catalog.change(changeEdges({ add: [edge("b", "a")], drop: [edge("b", "a"), edge("a", "b"), edge("a", "unknown")] }));
    expect(catalog.ask({ of: "edges" })).toEqual([edge("b", "gone")]);
  });
});

describe("touch", () => {
  it("advances the times of the checkpoint and its session, and never sets them back", () => {
    const catalog = new RuleCatalog();
    const { createdAt } = catalog.saved("a");
    const [at, later] = [new Date(createdAt.getTime() + 1), new Date(createdAt.getTime() + 2)];
    for (const each of [later, at]) catalog.change(touch({ checkpointId: "a" as CheckpointId, at: each }));
    expect(catalog.ask({ of: "checkpoint", id: "a" as CheckpointId })?.record.lastAccessedAt).toEqual(later);
    expect(catalog.ask({ of: "session", id: S })?.lastAccessedAt).toEqual(later);
  });

  it("skips an unknown checkpoint", () => {
    const catalog = new RuleCatalog();
    catalog.change(touch({ checkpointId: "a" as CheckpointId, at: new Date(0) }));
    expect(catalog.ask({ of: "totals" }).checkpoints).toBe(0);
  });
});

describe("shield", () => {
  const checkpointId = "a" as CheckpointId;
  const [SOON, LATER] = [new Date(1_000), new Date(2_000)];

  it("only ever extends a shield, and keeps it in the session facts", () => {
    const catalog = new RuleCatalog();
    catalog.saved("a");
    expect(catalog.change(shield({ checkpointId, until: LATER }))).toMatchObject({ shieldedUntil: LATER });
    expect(catalog.change(shield({ checkpointId, until: SOON }))).toMatchObject({ shieldedUntil: LATER });
    expect(catalog.facts.get(S)?.shields).toEqual([{ checkpointId, until: LATER }]);
  });

  it("skips a checkpoint that is unknown or in the trash", () => {
    const catalog = new RuleCatalog();
    expect(catalog.change(shield({ checkpointId, until: LATER }))).toBeUndefined();
    catalog.saved("a");
    catalog.change(move({ sessionId: S, checkpoints: ids("a"), from: "live", to: "trash", at: SOON, reason: "test" }));
    expect(catalog.change(shield({ checkpointId, until: LATER }))).toBeUndefined();
    expect(catalog.facts.get(S)?.shields).toEqual([]);
  });
});
