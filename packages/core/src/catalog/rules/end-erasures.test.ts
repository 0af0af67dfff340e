import { expect, it } from "vitest";
import type { CheckpointId } from "../../model/ids.ts";
import { ids, RuleCatalog, S } from "../testing/rule-catalog.ts";
import { endErasures } from "./end-erasures.ts";
import { move } from "./move.ts";

it("ends the erasure of one checkpoint, and leaves the others", () => {
  const catalog = new RuleCatalog();
  for (const id of ["a", "b"]) catalog.saved(id);
  const gone = { sessionId: S, checkpoints: ids("a", "b"), at: new Date(0), reason: "test", erases: true } as const;
  catalog.change(move({ ...gone, from: "live", to: "nowhere" }));
  catalog.change(endErasures(["a" as CheckpointId]));
  expect(catalog.ask({ of: "erasures" }).map(({ checkpointId }) => checkpointId)).toEqual(["b"]);
  expect(catalog.facts.get(S)?.erasing).toEqual(["b"]);
});
