import { describe, expect, it } from "vitest";
import type { CheckpointId, Digest } from "../../model/ids.ts";
import { KEEP_TAG } from "../../model/session.ts";
import { anAppend, ids, refOf, RuleCatalog, S, T } from "../testing/rule-catalog.ts";
import { append } from "./append.ts";
import { move } from "./move.ts";
import { relabel } from "./relabel.ts";
import { shield } from "./shield.ts";

const AT = new Date("2026-01-01T00:00:00.000Z");

function idsOf(outcome: ReturnType<RuleCatalog["append"]>): unknown {
  return outcome.status === "committed" ? outcome.removed.map(({ id }) => id) : outcome.status;
}

describe("append", () => {
  it("begins a session with the facts given, and counts on in it", () => {
    const catalog = new RuleCatalog();
    const session = { createdAt: new Date(5), tags: ["t"], pins: ["p"] };
    expect(catalog.saved("a", {}, { session }).sequence).toBe(1);
    expect(catalog.saved("b", { kind: "aside", createdAt: new Date(AT.getTime() + 1) }).sequence).toBe(2);
    expect(catalog.ask({ of: "session", id: S })).toMatchObject({
      ...session,
      lastAccessedAt: new Date(AT.getTime() + 1),
      lastSequence: 2,
      checkpointCount: 2,
      asideCount: 1,
      totalBytes: 120,
      oldestLive: null,
    });
    expect(catalog.facts.get(S)).toMatchObject({ ...session, tombstones: [], oldestLive: null });
  });

  it("refuses in a fixed order, and changes nothing then", () => {
    const catalog = new RuleCatalog();
    const head = catalog.saved("a");
    catalog.saved("b");
    catalog.change(move({ sessionId: S, checkpoints: ids("b"), from: "live", to: "trash", at: AT, reason: "test" }));
    const before = catalog.ask({ of: "session", id: S });
    catalog.missing.add(refOf("c"));
    const full = { quota: { session: 1, store: 1 }, asides: { count: 0, bytes: 0 } };
    const unlessHeadIs = head.canonicalDigest;
    const another = { expectedHead: "x" as CheckpointId, unlessHeadIs, ...full };
    expect(catalog.append("a", {}, another)).toEqual({ status: "exists", record: head });
    expect(catalog.append("b", {}, another)).toMatchObject({ status: "in-trash", record: { id: "b" } });
    expect(catalog.append("c", {}, another)).toEqual({ status: "conflict", head });
    expect(catalog.append("c", {}, { unlessHeadIs, ...full })).toEqual({ status: "unchanged", head });
    expect(catalog.append("c", {}, { unlessHeadIs: "0".repeat(64) as Digest, ...full })).toEqual({ status: "blob-missing" });
    catalog.missing.clear();
    expect(catalog.append("c", {}, full)).toEqual({ status: "asides-full" });
    expect(catalog.append("c", {}, { quota: full.quota })).toEqual({
      status: "over-quota",
      over: "session",
      bytes: { session: 60, store: 120 },
    });
    expect(catalog.ask({ of: "session", id: S })).toEqual(before);
  });

  it("removes the oldest workflow checkpoints beyond the limit, and remembers their blobs", () => {
    const catalog = new RuleCatalog();
    catalog.saved("p", { kind: "project" });
    for (const id of ["a", "b", "c"]) catalog.saved(id);
    expect(idsOf(catalog.append("d", { agentId: "agent" }, { keepNewest: 2, quota: { session: 999, store: 999 } }))).toEqual(["a", "b"]);
    expect(catalog.facts.get(S)).toMatchObject({ tombstones: ["a", "b"], oldestLive: "c" });
    expect(catalog.ask({ of: "removals", isDone: false }).map(({ blob }) => blob)).toEqual([refOf("a"), refOf("b")]);
    expect(catalog.tables.audit).toMatchObject([
      { action: "prune", checkpointId: "a", agentId: "agent" },
      { action: "prune", checkpointId: "b", agentId: "agent" },
    ]);
    expect(catalog.ask({ of: "session", id: S })).toMatchObject({ checkpointCount: 3, totalBytes: 180 });
  });

  it("tells the bytes afterwards when a quota is given", () => {
    const catalog = new RuleCatalog();
    catalog.saved("other", { sessionId: T });
    catalog.saved("a");
    const outcome = catalog.append("b", { blobBytes: 100 }, { keepNewest: 1, quota: { session: 999, store: 999 } });
    expect(outcome).toMatchObject({ status: "committed", bytes: { session: 100, store: 160 } });
  });

  it("counts but never removes the appended one, those tagged keep, and those shielded", () => {
    const catalog = new RuleCatalog();
    catalog.saved("kept", { tags: [KEEP_TAG] });
    catalog.saved("shielded");
    catalog.change(shield({ checkpointId: "shielded" as CheckpointId, until: new Date(AT.getTime() + 1) }));
    catalog.saved("free");
    expect(idsOf(catalog.append("new", {}, { keepNewest: 1 }))).toEqual(["free"]);
    expect(idsOf(catalog.append("project", { kind: "project" }, { keepNewest: 3 }))).toEqual([]);
    expect(idsOf(catalog.append("later", { createdAt: new Date(AT.getTime() + 1) }, { keepNewest: 3 }))).toEqual(["shielded"]);
  });

  it("removes nothing from a session tagged keep", () => {
    const catalog = new RuleCatalog();
    catalog.saved("a");
    catalog.change(relabel({ sessionId: S, labels: "tags", add: [KEEP_TAG], remove: [] }));
    expect(idsOf(catalog.append("b", {}, { keepNewest: 1 }))).toEqual([]);
  });

  it("makes room among the asides, and notes the oldest workflow checkpoint", () => {
    const catalog = new RuleCatalog();
    catalog.saved("work");
    for (const id of ["one", "two"]) catalog.saved(id, { kind: "aside" });
    expect(idsOf(catalog.append("three", { kind: "aside" }, { asides: { count: 2, bytes: 999 } }))).toEqual(["one"]);
    expect(catalog.facts.get(S)).toMatchObject({ tombstones: ["one"], oldestLive: "work" });
  });

  it("drops the tombstone, the pending removal and the erasure of an id that lives again", () => {
    const catalog = new RuleCatalog();
    catalog.saved("a");
    catalog.change(move({ sessionId: S, checkpoints: ids("a"), from: "live", to: "nowhere", at: AT, reason: "test", erases: true }));
    expect(catalog.facts.get(S)).toMatchObject({ tombstones: ["a"], erasing: ["a"] });
    catalog.saved("a");
    expect(catalog.facts.get(S)).toMatchObject({ tombstones: [], erasing: [] });
    expect([catalog.ask({ of: "removals" }), catalog.ask({ of: "erasures" })]).toEqual([[], []]);
  });

  it("takes one step below the limit and two at it, all of whose reads are named in advance", () => {
    const catalog = new RuleCatalog();
    for (const id of ["a", "b"]) catalog.change(append(anAppend(id, {}, { keepNewest: 2 })));
    expect([catalog.steps, catalog.surprises]).toEqual([1, 0]);
    catalog.change(append(anAppend("c", {}, { keepNewest: 2 })));
    expect([catalog.steps, catalog.surprises]).toEqual([2, 0]);
    catalog.change(append(anAppend("d", {}, { keepNewest: 1 })));
    expect([catalog.steps, catalog.surprises]).toEqual([2, 1]);
  });
});
