import { expect, it } from "vitest";
import { CHAIN_START, linked, placeOf } from "../../audit/audit-chain.ts";
import type { AuditAction, AuditEvent } from "../../model/audit.ts";
import type { ChangePosition, SessionId } from "../../model/ids.ts";
import type { ChangePage } from "./list-changes.ts";
import { cutRows } from "../rules/cut-audit.ts";
import { move } from "../rules/move.ts";
import { ids, RuleCatalog, S } from "../testing/rule-catalog.ts";
import { listChanges } from "./list-changes.ts";

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
