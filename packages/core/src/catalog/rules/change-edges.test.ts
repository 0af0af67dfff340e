import { expect, it } from "vitest";
import type { CheckpointId } from "../../model/ids.ts";
import { RuleCatalog } from "../testing/rule-catalog.ts";
import { changeEdges } from "./change-edges.ts";

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
