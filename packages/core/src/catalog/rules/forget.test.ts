import { expect, it } from "vitest";
import { KEEP_TAG } from "../../model/session.ts";
import { ids, RuleCatalog, S } from "../../../test/rule-catalog.ts";
import { forget } from "./forget.ts";
import { move } from "./move.ts";
import { reclaim } from "./reclaim.ts";
import { relabel } from "./commit.ts";

const AT = new Date("2026-02-02T00:00:00.000Z");
const OLD = { unusedSince: AT, at: AT };

function emptied(to: "trash" | "nowhere"): RuleCatalog {
  const catalog = new RuleCatalog();
  catalog.saved("a");
  catalog.change(move({ sessionId: S, checkpoints: ids("a"), from: "live", to, at: AT, reason: "test" }));
  return catalog;
}

function reclaimed(catalog: RuleCatalog): RuleCatalog {
  catalog.change(reclaim({ refs: undefined, now: AT, limit: 9, remove: async () => {} }));
  return catalog;
}

it("forgets an empty session and its facts", () => {
  const catalog = reclaimed(emptied("nowhere"));
  expect(catalog.change(forget(S, OLD))).toEqual([S]);
  expect([catalog.ask({ of: "session", id: S }), catalog.ask({ of: "removals" }), catalog.facts.size]).toEqual([undefined, [], 0]);
  expect(catalog.tables.audit.at(-1)).toMatchObject({ action: "delete", sessionId: S, reason: "empty" });
});

it("keeps a session with a checkpoint in the trash or a pending removal", () => {
  expect(emptied("trash").change(forget(S, OLD))).toEqual([]);
  expect(emptied("nowhere").change(forget(S, OLD))).toEqual([]);
});

it("keeps a session that was used lately, is tagged keep, or is unknown", () => {
  const catalog = reclaimed(emptied("nowhere"));
  expect(catalog.change(forget(S, { ...OLD, unusedSince: new Date(0) }))).toEqual([]);
  catalog.change(relabel({ sessionId: S, labels: "tags", add: [KEEP_TAG], remove: [] }));
  expect(catalog.change(forget(S, OLD))).toEqual([]);
  expect(new RuleCatalog().change(forget(S, OLD))).toEqual([]);
});
