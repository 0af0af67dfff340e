import { expect, it } from "vitest";
import type { CheckpointId, PageCursor } from "../../model/ids.ts";
import { move } from "../rules/move.ts";
import { shield } from "../rules/commit.ts";
import { ids, RuleCatalog, S, T } from "../../../test/rule-catalog.ts";
import { queryTrash } from "./query-trash.ts";

/** Moves five checkpoints to the trash, the last saved first. */
function filled(): RuleCatalog {
  const catalog = new RuleCatalog();
  for (const id of ["a", "b", "c", "d", "e"]) catalog.saved(id);
  catalog.change(shield({ checkpointId: "c" as CheckpointId, until: new Date(9) }));
  for (const [index, id] of ["e", "d", "c", "b", "a"].entries()) {
    catalog.change(move({ sessionId: S, checkpoints: ids(id), from: "live", to: "trash", at: new Date(index), reason: "test" }));
  }
  return catalog;
}

it("lists the longest there first, in pages that go on despite removals", async () => {
  const catalog = filled();
  const first = await queryTrash(catalog.port, { limit: 2 });
  catalog.change(move({ sessionId: S, checkpoints: ids("e"), from: "trash", to: "nowhere", at: new Date(9), reason: "test" }));
  const second = await queryTrash(catalog.port, { limit: 2, sessionId: S, after: first.next });
  const third = await queryTrash(catalog.port, { limit: 2, after: second.next });
  const found = [first, second, third].map(({ entries }) => entries.map(({ record }) => record.id));
  expect(found).toEqual([["e", "d"], ["c", "b"], ["a"]]);
  expect(third.next).toBeUndefined();
});

it("selects by session and by checkpoint, with the time of the move and the shield", async () => {
  const { port } = filled();
  expect((await queryTrash(port, { limit: 9, sessionId: T })).entries).toEqual([]);
  expect((await queryTrash(port, { limit: 9, checkpointId: "unknown" as CheckpointId })).entries).toEqual([]);
  const { entries } = await queryTrash(port, { limit: 9, checkpointId: "c" as CheckpointId });
  expect(entries).toMatchObject([{ record: { id: "c", shieldedUntil: new Date(9) }, trashedAt: new Date(2) }]);
});

it.each(["", "x", "1 ", "-1 a"])("refuses the cursor %j", async (after) => {
  await expect(queryTrash(new RuleCatalog().port, { limit: 1, after: after as PageCursor })).rejects.toMatchObject({
    code: "INVALID_INPUT",
  });
});
