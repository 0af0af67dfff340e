import type { AuditEvent, Read, Rule } from "@workrail/core";
import { expect, it } from "vitest";
import { openWithDriver } from "./open-sqlite-fs.ts";
import { driver } from "../test/open-database.ts";
import { withDirectory } from "../test/test-store.ts";
import { statementOf, withQueryBuilder } from "./statement-of.ts";

/** Reads whose statements are not built in advance. */
const RARE = { of: "count", where: { state: "live", name: "a", agentId: "b" } } as const satisfies Read;
const RARER = { of: "count", where: { state: "any", name: "a", workflowId: "b" } } as const satisfies Read;
const EVENT: AuditEvent = { at: new Date(0), action: "backup", sessionId: undefined, checkpointId: undefined, agentId: undefined };

it("loads the query builder when a later step of a change needs it, and applies the change once", () =>
  withDirectory(async (dataDir) => {
    const storage = await openWithDriver({ dataDir }, driver);
    expect(() => statementOf(RARE)).toThrow("the query builder is not loaded");
    let decisions = 0;
    const last: Rule<unknown> = {
      reads: { rare: RARE },
      decide(facts) {
        decisions += 1;
        return { outcome: facts["rare"], rows: [], audit: [EVENT] };
      },
    };
    const total = await storage.catalog.change({ reads: { holds: { of: "holds" } }, decide: () => last });
    const { events } = await storage.catalog.read({ events: { of: "audit", query: {} } });
    expect({ total, decisions, events: events.length }).toEqual({ total: 0, decisions: 1, events: 1 });
    // The builder is loaded now.
    expect(statementOf(RARER).values).toEqual(["b", "a"]);
    await storage.close();
  }));

it("gives reads that differ in their values one statement, and binds the values of each", async () => {
  const where = { state: "live", tags: ["one", "two"], words: ['Q"'], since: new Date(5) } as const;
  const one = await withQueryBuilder(() => statementOf({ of: "count", where }));
  const other = statementOf({ of: "count", where: { ...where, tags: ["x", "y"], since: new Date(6) } });
  expect(other.sql).toBe(one.sql);
  expect([one.values, other.values]).toEqual([
    [5, 'q"', 'q\\"', "one", "one", "two", "two"],
    [6, 'q"', 'q\\"', "x", "x", "y", "y"],
  ]);
});
