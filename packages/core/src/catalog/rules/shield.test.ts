import { expect, it } from "vitest";
import type { CheckpointId } from "../../model/ids.ts";
import { ids, RuleCatalog, S } from "../testing/rule-catalog.ts";
import { move } from "./move.ts";
import { shield } from "./shield.ts";

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
