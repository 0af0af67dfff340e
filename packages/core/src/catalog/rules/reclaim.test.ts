import { expect, it } from "vitest";
import type { BlobRef } from "../../model/ids.ts";
import { decided } from "../rule.ts";
import { ids, refOf, RuleCatalog, S } from "../../../test/rule-catalog.ts";
import { changeEdges } from "./commit.ts";
import { hold, release } from "./hold.ts";
import { move } from "./move.ts";
import { reclaim } from "./reclaim.ts";

const NOW = new Date(1_000);

function reclaimed(catalog: RuleCatalog, refs?: readonly BlobRef[], limit = 9): readonly BlobRef[] {
  return catalog.change(reclaim({ refs, now: NOW, limit, remove: async () => {} }));
}

function removed(...all: readonly string[]): RuleCatalog {
  const catalog = new RuleCatalog();
  for (const id of [...all, "live"]) catalog.saved(id);
  catalog.change(move({ sessionId: S, checkpoints: ids(...all), from: "live", to: "nowhere", at: NOW, reason: "test" }));
  return catalog;
}

it("takes pending removals, at most so many, and none twice", () => {
  const catalog = removed("a", "b", "c");
  expect(reclaimed(catalog, undefined, 2)).toEqual([refOf("a"), refOf("b")]);
  expect(reclaimed(catalog)).toEqual([refOf("c")]);
  expect(reclaimed(catalog)).toEqual([]);
});

it("takes given refs that no checkpoint needs, known or not", () => {
  const catalog = removed("a");
  expect(reclaimed(catalog, [refOf("live"), refOf("a"), refOf("stray")])).toEqual([refOf("a"), refOf("stray")]);
});

it("names the refs that no row names", () => {
  const catalog = removed("a");
  const rule = reclaim({ refs: [refOf("live"), refOf("a"), refOf("stray")], now: NOW, limit: 9, remove: async () => {} });
  expect(decided(rule, { answer: (read) => catalog.ask(read), keepsFacts: true }).strays).toEqual([refOf("stray")]);
});

it("keeps a base until its dependents are removed", () => {
  const catalog = removed("base", "delta");
  catalog.saved("delta");
  const [dependent, base] = ids("delta", "base") as [never, never];
  catalog.change(changeEdges({ add: [{ dependent, base }], drop: [] }));
  expect([reclaimed(catalog), reclaimed(catalog, [refOf("base")])]).toEqual([[], []]);
  catalog.change(move({ sessionId: S, checkpoints: ids("delta"), from: "live", to: "nowhere", at: NOW, reason: "test" }));
  expect(reclaimed(catalog)).toEqual([refOf("delta"), refOf("base")]);
  expect(catalog.ask({ of: "edges" })).toEqual([]);
});

it("takes a chain of deltas at once, each before its base, and no further than its limit", () => {
  const catalog = new RuleCatalog();
  for (const id of ["a", "b", "c", "d"]) catalog.saved(id);
  const [a, b, c, d] = ids("a", "b", "c", "d") as [never, never, never, never];
  const add = [
    { dependent: a, base: b },
    { dependent: b, base: c },
    { dependent: c, base: d },
  ];
  catalog.change(changeEdges({ add, drop: [] }));
  catalog.change(move({ sessionId: S, checkpoints: [a, b, c, d], from: "live", to: "nowhere", at: NOW, reason: "test" }));
  expect(reclaimed(catalog, [refOf("d"), refOf("c"), refOf("a"), refOf("b")], 3)).toEqual([refOf("a"), refOf("b"), refOf("c")]);
  expect(reclaimed(catalog)).toEqual([refOf("d")]);
});

it("takes a hundred at a time of blobs to overwrite, and more of those to unlink", () => {
  const names = Array.from({ length: 150 }, (_, index) => `blob ${index}`);
  const catalog = removed(...names.slice(0, 149));
  catalog.saved("blob 149");
  expect(reclaimed(catalog, undefined, 120)).toHaveLength(120);
  const erasing = {
    sessionId: S,
    checkpoints: ids("blob 149"),
    from: "live",
    to: "nowhere",
    at: NOW,
    reason: "test",
    erases: true,
  } as const;
  catalog.change(move(erasing));
  for (const name of names.slice(0, 149)) catalog.saved(`again ${name}`);
  catalog.change(move({ ...erasing, checkpoints: ids(...names.slice(0, 149).map((name) => `again ${name}`)) }));
  expect(reclaimed(catalog, undefined, 120)).toHaveLength(100);
});

it("takes nothing while a hold is active, and drops holds that are over", () => {
  const catalog = removed("a");
  catalog.change(hold({ holder: "backup", until: new Date(2_000) }));
  catalog.change(hold({ holder: "crashed", until: NOW }));
  expect(reclaimed(catalog)).toEqual([]);
  expect(catalog.ask({ of: "holds" }).map(({ holder }) => holder)).toEqual(["backup"]);
  catalog.change(hold({ holder: "backup", until: new Date(3_000) }));
  expect(reclaimed(catalog)).toEqual([]);
  catalog.change(release("backup"));
  expect(reclaimed(catalog)).toEqual([refOf("a")]);
});

it("drops the tombstone from the session facts with the next change of them", () => {
  const catalog = removed("a", "b");
  expect(reclaimed(catalog, [refOf("a")])).toEqual([refOf("a")]);
  expect(catalog.facts.get(S)?.tombstones).toEqual(["a", "b"]);
  catalog.change(move({ sessionId: S, checkpoints: ids("live"), from: "live", to: "trash", at: NOW, reason: "test" }));
  expect(catalog.facts.get(S)?.tombstones).toEqual(["b"]);
  expect(catalog.ask({ of: "removals" }).map(({ blob }) => blob)).toEqual([refOf("b")]);
});
