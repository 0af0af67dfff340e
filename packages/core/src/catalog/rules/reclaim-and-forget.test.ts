import { expect, it } from "vitest";
import { KEEP_TAG } from "../../model/session.ts";
import { ids, refOf, RuleCatalog, S } from "../../../test/rule-catalog.ts";
import { relabel } from "./commit.ts";
import { move } from "./move.ts";
import { reclaim } from "./reclaim.ts";
import { andForget, type Emptied } from "./reclaim-and-forget.ts";

const NOW = new Date(1_000);
const EMPTIED: Emptied = { sessions: new Set([S]), at: new Date(2_000) };

/** A catalog with checkpoints `a` and `b`, of which some are removed. */
function removed(...some: readonly string[]): RuleCatalog {
  const catalog = new RuleCatalog();
  for (const id of ["a", "b"]) catalog.saved(id);
  catalog.change(move({ sessionId: S, checkpoints: ids(...some), from: "live", to: "nowhere", at: NOW, reason: "test" }));
  return catalog;
}

/** Removes blobs, and tells which, and whether the session is left. */
function left(catalog: RuleCatalog, { limit = 9, emptied = EMPTIED }: { readonly limit?: number; readonly emptied?: Emptied } = {}) {
  const blobs = catalog.change(andForget(reclaim({ refs: undefined, now: NOW, limit, remove: async () => {} }), emptied));
  return { blobs, isSessionLeft: catalog.ask({ of: "session", id: S }) !== undefined };
}

it("forgets a session in the step that removes its last blob", () => {
  const catalog = removed("a", "b");
  expect(left(catalog, { limit: 1 })).toEqual({ blobs: [refOf("a")], isSessionLeft: true });
  expect(left(catalog, { limit: 1 })).toEqual({ blobs: [refOf("b")], isSessionLeft: false });
  expect([catalog.ask({ of: "removals" }), catalog.facts.size]).toEqual([[], 0]);
  expect(catalog.tables.audit.at(-1)).toMatchObject({ at: EMPTIED.at, action: "delete", sessionId: S, reason: "empty" });
});

it("keeps a session with a checkpoint, one that is tagged keep, and one that was not named", () => {
  expect(left(removed("a"))).toEqual({ blobs: [refOf("a")], isSessionLeft: true });
  const tagged = removed("a", "b");
  tagged.change(relabel({ sessionId: S, labels: "tags", add: [KEEP_TAG], remove: [] }));
  expect(left(tagged)).toMatchObject({ isSessionLeft: true });
  expect(left(removed("a", "b"), { emptied: { ...EMPTIED, sessions: new Set() } })).toMatchObject({ isSessionLeft: true });
});
