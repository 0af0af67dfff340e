import { expect, it } from "vitest";
import type { CheckpointId } from "../../model/ids.ts";
import { RuleCatalog, S } from "../testing/rule-catalog.ts";
import { touch } from "./touch.ts";

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
