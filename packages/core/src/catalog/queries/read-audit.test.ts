import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { CHAIN_START, chained, linked, placeOf } from "../../audit/audit-chain.ts";
import type { AuditAction, AuditEvent, LoggedEvent } from "../../model/audit.ts";
import { commit } from "../rules/commit.ts";
import { cutRows } from "../rules/cut-audit.ts";
import { ids, RuleCatalog, S } from "../../../test/rule-catalog.ts";
import { type ChangePage, checkAudit, listChanges } from "./read-audit.ts";
import type { ChangePosition, SessionId } from "../../model/ids.ts";
import { move } from "../rules/move.ts";

describe("checkAudit", () => {
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

  it("continues a few rows at a time", async () => {
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
});

describe("listChanges", () => {
  const digest = (text: string): string =>
    Array.from(text.slice(-32), (each) => (each.codePointAt(0) ?? 0) % 10)
      .join("")
      .padStart(32, "0");

  function log(catalog: RuleCatalog, ...rows: readonly (readonly [AuditAction, string])[]): void {
    for (const [action, sessionId] of rows) {
      const last = catalog.tables.audit.at(-1);
      const event: AuditEvent = { at: new Date(0), action, sessionId: sessionId as SessionId, checkpointId: undefined, agentId: undefined };
      const audit = [linked(event, last === undefined ? CHAIN_START : placeOf(last), digest)];
      catalog.change({ reads: {}, decide: () => ({ outcome: undefined, rows: [], audit }) });
    }
  }

  async function positionOf(catalog: RuleCatalog): Promise<ChangePosition | undefined> {
    return (await listChanges(catalog.port, { limit: 1 }))?.position;
  }

  function changes(catalog: RuleCatalog, after: ChangePosition | undefined, limit = 9): Promise<ChangePage | undefined> {
    return listChanges(catalog.port, { after, limit });
  }

  it("returns the current position and no session without a start position", async () => {
    const catalog = new RuleCatalog();
    expect(await listChanges(catalog.port, { limit: 9 })).toMatchObject({ sessions: [], hasMore: false });
    log(catalog, ["save", "s"]);
    const position = await positionOf(catalog);
    expect(await changes(catalog, position)).toEqual({ sessions: [], position, hasMore: false, rows: 0 });
  });

  it("names each session once, and tells whether checkpoints were only added at its end", async () => {
    const catalog = new RuleCatalog();
    log(catalog, ["save", "before"]);
    const before = await positionOf(catalog);
    log(catalog, ["save", "a"], ["save", "b"], ["load", "c"], ["trash", "b"], ["save", "b"], ["tag", "a"]);
    const page = await changes(catalog, before);
    expect(new Map(page?.sessions.map(({ sessionId, isExtended }) => [sessionId, isExtended]))).toEqual(
      new Map([
        ["a", true],
        ["b", false],
      ]),
    );
    expect(page).toMatchObject({ hasMore: false, rows: 6 });
  });

  it("includes moves, which write their own audit rows", async () => {
    const catalog = new RuleCatalog();
    catalog.saved("a");
    log(catalog, ["save", "s"]);
    const before = await positionOf(catalog);
    catalog.change(move({ sessionId: S, checkpoints: ids("a"), from: "live", to: "trash", at: new Date(0), reason: "test" }));
    expect((await changes(catalog, before))?.sessions).toEqual([{ sessionId: S, isExtended: false }]);
  });

  it("comes in pages that continue despite later saves", async () => {
    const catalog = new RuleCatalog();
    log(catalog, ["save", "before"]);
    const before = await positionOf(catalog);
    log(catalog, ["save", "a"], ["save", "b"], ["save", "c"]);
    const first = await changes(catalog, before, 2);
    expect(first).toMatchObject({ sessions: [{ sessionId: "a" }, { sessionId: "b" }], hasMore: true, rows: 2 });
    const second = await changes(catalog, first?.position, 1);
    expect(second).toMatchObject({ sessions: [{ sessionId: "c" }], hasMore: false, rows: 1 });
    log(catalog, ["save", "d"]);
    expect(await changes(catalog, second?.position)).toMatchObject({ sessions: [{ sessionId: "d" }], rows: 1 });
  });

  it("is unknown since a row that was cut off, and since a position of another catalog", async () => {
    const catalog = new RuleCatalog();
    const start = await positionOf(catalog);
    log(catalog, ["save", "a"], ["save", "b"]);
    const early = await positionOf(catalog);
    log(catalog, ["save", "c"], ["save", "d"]);
    const late = await positionOf(catalog);
    catalog.change(cutRows({ before: new Date(1), at: new Date(2), limit: 3 }));
    expect(await changes(catalog, start)).toBeUndefined();
    expect(await changes(catalog, early)).toBeUndefined();
    expect(await changes(catalog, late)).toMatchObject({ rows: 1, sessions: [] });
    const another = new RuleCatalog();
    log(another, ["rebuild", "x"]);
    expect(await changes(another, late)).toBeUndefined();
  });
});
