import { hash } from "node:crypto";
import { expect, it } from "vitest";
import { placeOf } from "../../audit/audit-chain.ts";
import type { LoggedEvent } from "../../model/audit.ts";
import { chained } from "../chained.ts";
import { commit } from "../rules/commit.ts";
import { cutRows } from "../rules/cut-audit.ts";
import { RuleCatalog } from "../testing/rule-catalog.ts";
import { checkAudit } from "./check-audit.ts";

/** Chains one row for each agent. */
async function logged(...agents: readonly string[]) {
  const catalog = new RuleCatalog();
  const storage = chained({ catalog: catalog.port, recovery: {} as never }, (text) => hash("sha256", text, "hex"));
  for (const [index, agentId] of agents.entries()) {
    const event = { at: new Date(index), action: "export", sessionId: undefined, checkpointId: undefined, agentId } as const;
    await storage.catalog.change(commit({ audit: [event] }));
  }
  return {
    catalog,
    chain: storage.chain,
    change: storage.catalog,
    rows: catalog.tables.audit as readonly [LoggedEvent, LoggedEvent, LoggedEvent],
  };
}

it("goes on a few rows at a time", async () => {
  const { chain, rows } = await logged("a", "b", "c");
  const [first, second, third] = rows;
  expect(await checkAudit(chain, { limit: 2 })).toMatchObject({ rows: 2, first, last: second, breaks: [] });
  expect(await checkAudit(chain, { after: placeOf(second), limit: 2 })).toMatchObject({ rows: 1, first: third, last: third, breaks: [] });
  expect(await checkAudit(chain, { after: placeOf(third), limit: 2 })).toMatchObject({ rows: 0, first: undefined, last: undefined });
});

it("accepts any agent name, and chains each row to the one before", async () => {
  const { chain } = await logged("ä 😀", 'a "quote" \\ and\nlines', "lone \ud800", "\u0001");
  expect(await checkAudit(chain, { limit: 9 })).toMatchObject({ rows: 4, unchained: 0, breaks: [], isKeyed: false });
});

it("begins behind the rows that were cut off", async () => {
  const { chain, change, catalog } = await logged("a", "b", "c");
  await change.change(cutRows({ before: new Date(2), at: new Date(9), limit: 9 }));
  expect(catalog.tables.audit.map(({ number }) => number)).toEqual([3, 4]);
  expect(await checkAudit(chain, { limit: 9 })).toMatchObject({ rows: 2, breaks: [] });
});
