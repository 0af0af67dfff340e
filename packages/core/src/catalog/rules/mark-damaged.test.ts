import { expect, it } from "vitest";
import { RuleCatalog, S } from "../testing/rule-catalog.ts";
import { headOf } from "./head-of.ts";
import { markDamaged } from "./mark-damaged.ts";

it("marks a checkpoint once, which is no head from then on", () => {
  const catalog = new RuleCatalog();
  const [first, record] = [catalog.saved("a"), catalog.saved("b")];
  const audit = { at: new Date(0), action: "quarantine", sessionId: S, checkpointId: record.id, agentId: undefined } as const;
  const mark = (expected = record): boolean => catalog.change(markDamaged(expected, audit, async () => true));
  expect(mark({ ...record, blobBytes: 1 })).toBe(false);
  expect(mark()).toBe(true);
  expect([mark(), mark({ ...record, damaged: true })]).toEqual([false, false]);
  expect(catalog.ask(headOf(S)).map((row) => row.record.id)).toEqual([first.id]);
  expect(catalog.tables.audit).toMatchObject([{ action: "quarantine", checkpointId: "b" }]);
});
