import { expect, it } from "vitest";
import { RuleCatalog } from "../../../test/rule-catalog.ts";
import { commit } from "./commit.ts";
import { cutRows } from "./cut-audit.ts";

function logged(...times: readonly number[]): RuleCatalog {
  const catalog = new RuleCatalog();
  const row = { action: "load", sessionId: undefined, checkpointId: undefined, agentId: undefined } as const;
  catalog.change(commit({ audit: times.map((ms) => ({ ...row, at: new Date(ms) })) }));
  return catalog;
}

function cut(catalog: RuleCatalog, before: number, limit = 9): unknown {
  const count = catalog.change(cutRows({ before: new Date(before), at: new Date(99), limit }));
  return [count, ...catalog.tables.audit.map(({ number, reason }) => reason?.split(" ").slice(0, 2).join(" ") ?? number)];
}

it("removes rows up to the first one that is not older, and names the last removed row", () => {
  expect(cut(logged(1, 2, 9, 3), 5)).toEqual([2, 3, 4, "through 2"]);
});

it("removes at most so many rows, and all of them when all are older", () => {
  expect(cut(logged(1, 2, 3), 5, 1)).toEqual([1, 2, 3, "through 1"]);
  expect(cut(logged(1, 2, 3), 5)).toEqual([3, "through 3"]);
});

it("writes nothing when there is nothing to remove", () => {
  expect(cut(logged(5), 5)).toEqual([0, 1]);
  expect(cut(logged(), 5)).toEqual([0]);
  expect(cut(logged(1), 5, 0)).toEqual([0, 1]);
});
