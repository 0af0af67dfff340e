import { expect, it } from "vitest";
import type { CatalogPort, CheckpointId, Rule, RowChange } from "@workrail/core";
import { move } from "../../core/src/catalog/rules/move.ts";
import { ids, RuleCatalog, S } from "../../core/test/rule-catalog.ts";
import { observedCatalog } from "./observed-catalog.ts";

const AT = new Date(0);

/** The rules of a catalog in memory as a port. */
function portOf(catalog: RuleCatalog): CatalogPort {
  return {
    read: () => Promise.reject(new Error("Nothing is read.")),
    async change<Out>(rule: Rule<Out>) {
      return catalog.change(rule);
    },
  };
}

it("reports the rows of a change", async () => {
  const catalog = new RuleCatalog();
  catalog.saved("a");
  const reported: RowChange[][] = [];
  const outcome = await observedCatalog(portOf(catalog), (rows) => void reported.push([...rows])).change(
    move({ sessionId: S, checkpoints: ids("a"), from: "live", to: "trash", at: AT, reason: "test" }),
  );
  expect(outcome.map(({ id }) => id)).toEqual(["a"]);
  const moved = reported.flat().filter(({ table }) => table === "checkpoint");
  expect(moved).toMatchObject([{ was: { trashedAt: undefined, record: { id: "a" as CheckpointId } }, now: { trashedAt: AT } }]);
});

it("reports no rows of a decision that was withdrawn, and nothing of a change that failed", async () => {
  const withdrawing: CatalogPort = {
    read: () => Promise.reject(new Error("Nothing is read.")),
    async change<Out>(rule: Rule<Out>) {
      const decision = rule.decide({});
      if ("reads" in decision) throw new Error("It is one step.");
      if ((await decision.blobs?.()) === false) return decision.withdrawn as Out;
      throw new Error("The disk is full.");
    },
  };
  const reported: (readonly RowChange[])[] = [];
  const catalog = observedCatalog(withdrawing, (rows) => void reported.push(rows));
  const row: RowChange = { table: "hold", was: undefined, now: { holder: "h", until: AT } };
  const rule = (isFound: boolean): Rule<boolean> => ({
    reads: {},
    decide: () => ({ outcome: true, rows: [row], audit: [], withdrawn: false, blobs: async () => isFound }),
  });
  expect(await catalog.change(rule(false))).toBe(false);
  expect(reported).toEqual([[]]);
  await expect(catalog.change(rule(true))).rejects.toThrow("The disk is full.");
  expect(reported).toEqual([[]]);
});
