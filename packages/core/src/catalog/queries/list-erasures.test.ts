import { expect, it } from "vitest";
import type { CheckpointId } from "../../model/ids.ts";
import { changeEdges, endErasures } from "../rules/commit.ts";
import { move } from "../rules/move.ts";
import { ids, refOf, RuleCatalog, S } from "../../../test/rule-catalog.ts";
import { listErasures } from "./list-erasures.ts";

const MOVE = { sessionId: S, at: new Date(0), reason: "test", from: "live" } as const;

function edge(dependent: string, base: string) {
  return { dependent: dependent as CheckpointId, base: base as CheckpointId };
}

it("names the checkpoints that may need erased bytes: live, in the trash, or through removed ones", async () => {
  const catalog = new RuleCatalog();
  for (const id of ["live", "trashed", "removed", "gone", "other"]) catalog.saved(id);
  const needing = [edge("live", "removed"), edge("trashed", "gone")];
  catalog.change(changeEdges({ add: [...needing, edge("removed", "gone"), edge("live", "other"), edge("gone", "removed")], drop: [] }));
  catalog.change(move({ ...MOVE, checkpoints: ids("trashed"), to: "trash" }));
  catalog.change(move({ ...MOVE, checkpoints: ids("removed"), to: "nowhere" }));
  expect(await listErasures(catalog.port)).toEqual([]);
  catalog.change(move({ ...MOVE, checkpoints: ids("gone"), to: "nowhere", erases: true }));
  const [erasure, ...more] = await listErasures(catalog.port);
  expect(erasure).toMatchObject({ checkpointId: "gone", sessionId: S, blob: refOf("gone") });
  expect([new Set(erasure?.edges), more]).toEqual([new Set(needing), []]);
  catalog.change(endErasures(["gone" as CheckpointId]));
  expect(await listErasures(catalog.port)).toEqual([]);
});
