import { expect, it } from "vitest";
import type { CheckpointId } from "../../model/ids.ts";
import type { CatalogChange } from "./commit.ts";
import { anAppend, ids, RuleCatalog, S } from "../testing/rule-catalog.ts";
import { decided } from "../decided.ts";
import { commit } from "./commit.ts";

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

it("writes the rows of the caller behind those of the removals that the change caused", () => {
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
