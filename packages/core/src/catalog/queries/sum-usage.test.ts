import { expect, it } from "vitest";
import type { CheckpointId } from "../../model/ids.ts";
import { changeEdges } from "../rules/commit.ts";
import { changeForm, markDamaged } from "../rules/change-form.ts";
import { hold, release } from "../rules/hold.ts";
import { move } from "../rules/move.ts";
import { reclaim } from "../rules/reclaim.ts";
import { ids, RuleCatalog, S, T } from "../../../test/rule-catalog.ts";
import { sumUsage } from "./sum-usage.ts";

const NOW = new Date(1_000);
const MOVE = { at: NOW, reason: "test", from: "live" } as const;
const NOTHING = {
  sessions: 0,
  checkpoints: 0,
  damaged: 0,
  liveBytes: 0,
  trashed: 0,
  trashBytes: 0,
  pendingRemovals: 0,
  neededRemovals: 0,
};

it("follows every change of checkpoints", async () => {
  const catalog = new RuleCatalog();
  const usage = () => sumUsage(catalog.port, NOW);
  expect(await usage()).toEqual(NOTHING);
  catalog.saved("a", { blobBytes: 100 });
  catalog.saved("b", { blobBytes: 20 });
  catalog.saved("c", { blobBytes: 3, sessionId: T });
  expect(await usage()).toEqual({ ...NOTHING, sessions: 2, checkpoints: 3, liveBytes: 123 });
  catalog.change(move({ ...MOVE, sessionId: T, checkpoints: ids("c"), to: "trash" }));
  const head = catalog.saved("d", { blobBytes: 7 }, { keepNewest: 2 });
  const after = { ...NOTHING, sessions: 1, checkpoints: 2, liveBytes: 27, trashed: 1, trashBytes: 3, pendingRemovals: 1 };
  expect(await usage()).toEqual(after);
  catalog.change(changeForm(head, { blobBytes: 10, baseId: null, keyId: null }, async () => {}));
  expect(await usage()).toEqual({ ...after, liveBytes: 30 });
  catalog.change(reclaim({ refs: undefined, now: NOW, limit: 9, remove: async () => {} }));
  catalog.change(move({ at: NOW, reason: "test", sessionId: T, checkpoints: ids("c"), from: "trash", to: "live" }));
  expect(await usage()).toEqual({ ...NOTHING, sessions: 2, checkpoints: 3, liveBytes: 33 });
  const audit = { at: NOW, action: "quarantine", sessionId: S, checkpointId: head.id, agentId: undefined } as const;
  catalog.change(markDamaged({ ...head, blobBytes: 10 }, audit, async () => true));
  expect(await usage()).toMatchObject({ checkpoints: 3, damaged: 1 });
});

it("reports removals that wait for their dependents, and the end of the last hold", async () => {
  const catalog = new RuleCatalog();
  for (const id of ["base", "dependent", "last"]) catalog.saved(id);
  catalog.change(changeEdges({ add: [{ dependent: "dependent" as CheckpointId, base: "base" as CheckpointId }], drop: [] }));
  catalog.change(move({ ...MOVE, sessionId: S, checkpoints: ids("base", "last"), to: "nowhere" }));
  const [soon, later] = [new Date(2_000), new Date(3_000)];
  catalog.change(hold({ holder: "one", until: soon }));
  catalog.change(hold({ holder: "other", until: later }));
  expect(await sumUsage(catalog.port, NOW)).toMatchObject({ pendingRemovals: 2, neededRemovals: 1, removalsHeldUntil: later });
  catalog.change(hold({ holder: "one", until: NOW }));
  catalog.change(release("other"));
  expect((await sumUsage(catalog.port, NOW)).removalsHeldUntil).toBeUndefined();
});
