import { describe, expect, it } from "vitest";
import type { CheckpointRecord } from "../../model/checkpoint.ts";
import { changeForm, markDamaged, type StoredForm } from "./change-form.ts";
import { ids, RuleCatalog, S } from "../../../test/rule-catalog.ts";
import { move } from "./move.ts";
import { headOf } from "../reads.ts";

const WHOLE: StoredForm = { blobBytes: 10, baseId: null, keyId: null };

function changes(catalog: RuleCatalog, expected: CheckpointRecord, becomes = WHOLE): boolean {
  return catalog.change(changeForm(expected, becomes, async () => {}));
}

function bytesIn(catalog: RuleCatalog): unknown {
  return [catalog.ask({ of: "session", id: S })?.totalBytes, catalog.ask({ of: "bytes" })];
}

it("records the form and the bytes of a live checkpoint, and clears the damaged mark", () => {
  const catalog = new RuleCatalog();
  const record = catalog.saved("a");
  const audit = { at: new Date(0), action: "quarantine", sessionId: S, checkpointId: record.id, agentId: undefined } as const;
  catalog.change(markDamaged(record, audit, async () => true));
  expect(changes(catalog, record)).toBe(false);
  expect(changes(catalog, { ...record, damaged: true })).toBe(true);
  expect(catalog.ask({ of: "checkpoint", id: record.id })?.record).toMatchObject({ ...WHOLE, damaged: false });
  expect(bytesIn(catalog)).toEqual([10, 10]);
});

it("leaves the sum of the session alone for a checkpoint in the trash", () => {
  const catalog = new RuleCatalog();
  const record = catalog.saved("a");
  catalog.change(move({ sessionId: S, checkpoints: ids("a"), from: "live", to: "trash", at: new Date(0), reason: "test" }));
  expect(changes(catalog, record)).toBe(true);
  expect(bytesIn(catalog)).toEqual([0, 10]);
});

it("refuses another form than expected, and a base that is unknown, damaged or in the trash", () => {
  const catalog = new RuleCatalog();
  const [record, base] = [catalog.saved("a"), catalog.saved("b")];
  expect(changes(catalog, { ...record, blobBytes: 1 })).toBe(false);
  expect(changes(catalog, record, { ...WHOLE, baseId: ids("gone")[0] ?? null })).toBe(false);
  const audit = { at: new Date(0), action: "quarantine", sessionId: S, checkpointId: base.id, agentId: undefined } as const;
  catalog.change(markDamaged(base, audit, async () => true));
  expect(changes(catalog, record, { ...WHOLE, baseId: base.id })).toBe(false);
  catalog.change(move({ sessionId: S, checkpoints: [base.id], from: "live", to: "trash", at: new Date(0), reason: "test" }));
  expect(changes(catalog, record, { ...WHOLE, baseId: base.id })).toBe(false);
});

describe("markDamaged", () => {
  it("marks a checkpoint once, and removes it as the head", () => {
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
});
