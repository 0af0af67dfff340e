import { describe, expect, it } from "vitest";
import type { CheckpointId, Digest } from "../../model/ids.ts";
import { KEEP_TAG } from "../../model/session.ts";
import { anAppend, ids, refOf, RuleCatalog, S, T } from "../../../test/rule-catalog.ts";
import { append } from "./append.ts";
import { markDamaged } from "./change-form.ts";
import { move } from "./move.ts";
import { relabel, shield, touch } from "./commit.ts";

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

  it("reports the bytes afterwards when a quota is given", () => {
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

  it("takes the asides used longest ago first, and as many as the bytes ask for", () => {
    const catalog = new RuleCatalog();
    for (const [index, id] of ["one", "two", "three"].entries())
      catalog.saved(id, { kind: "aside", createdAt: new Date(index), blobBytes: 30 });
    catalog.change(touch({ checkpointId: "one" as CheckpointId, at: AT }));
    expect(idsOf(catalog.append("four", { kind: "aside", blobBytes: 60 }, { asides: { count: 9, bytes: 100 } }))).toEqual(["two", "three"]);
    expect(catalog.append("five", { kind: "aside", blobBytes: 101 }, { asides: { count: 9, bytes: 100 } })).toEqual({
      status: "asides-full",
    });
  });

  it("refuses an aside where the others are shielded or tagged keep, until a shield ends", () => {
    const catalog = new RuleCatalog();
    catalog.saved("shielded", { kind: "aside" });
    catalog.saved("kept", { kind: "aside", tags: [KEEP_TAG] });
    const until = new Date(AT.getTime() + 1);
    catalog.change(shield({ checkpointId: "shielded" as CheckpointId, until }));
    const terms = { asides: { count: 2, bytes: 999 } };
    expect(catalog.append("new", { kind: "aside" }, terms)).toEqual({ status: "asides-full" });
    expect(idsOf(catalog.append("new", { kind: "aside", createdAt: until }, terms))).toEqual(["shielded"]);
  });

  it("compares with the last committed, whatever the clock says, but never with an aside or a damaged one", () => {
    const catalog = new RuleCatalog();
    expect(catalog.append("x", {}, { expectedHead: "y" as CheckpointId })).toEqual({ status: "conflict", head: undefined });
    expect(catalog.ask({ of: "session", id: S })).toBeUndefined();
    catalog.saved("a", { createdAt: new Date(9) }, { expectedHead: null });
    const head = catalog.saved("b", { createdAt: new Date(1) }, { expectedHead: "a" as CheckpointId });
    const aside = catalog.saved("c", { kind: "aside", createdAt: new Date(10) });
    expect(catalog.append("d", {}, { expectedHead: null })).toEqual({ status: "conflict", head });
    expect(catalog.append("d", {}, { unlessHeadIs: head.canonicalDigest })).toEqual({ status: "unchanged", head });
    catalog.saved("d", {}, { unlessHeadIs: aside.canonicalDigest, expectedHead: head.id });
    const last = catalog.saved("e", {}, { unlessHeadIs: head.canonicalDigest });
    const audit = { at: AT, action: "quarantine", sessionId: S, checkpointId: last.id, agentId: undefined } as const;
    catalog.change(markDamaged(last, audit, async () => true));
    expect(catalog.saved("f", {}, { unlessHeadIs: last.canonicalDigest, expectedHead: "d" as CheckpointId }).sequence).toBe(6);
  });

  it("counts the bytes of the trash to the store's quota, not to the session's", () => {
    const catalog = new RuleCatalog();
    const quota = { session: 100, store: 150 };
    catalog.saved("a", { blobBytes: 100 }, { quota });
    expect(catalog.append("b", { blobBytes: 51, sessionId: T }, { quota })).toMatchObject({
      over: "store",
      bytes: { session: 0, store: 100 },
    });
    catalog.change(move({ sessionId: S, checkpoints: ids("a"), from: "live", to: "trash", at: AT, reason: "test" }));
    expect(catalog.append("b", { blobBytes: 51, sessionId: T }, { quota })).toMatchObject({ status: "over-quota", over: "store" });
    expect(catalog.append("b", { blobBytes: 50 }, { quota })).toMatchObject({ status: "committed", bytes: { session: 50, store: 150 } });
  });

  it("shields the new checkpoint from the beginning, also in the facts that survive the catalog", () => {
    const catalog = new RuleCatalog();
    catalog.saved("a");
    const record = catalog.saved("b", {}, { shieldedUntil: AT });
    expect(record.shieldedUntil).toEqual(AT);
    expect(catalog.facts.get(S)?.shields).toEqual([{ checkpointId: "b", until: AT }]);
  });

  it("writes the rows of the caller after the rows of the removals, and none when it is refused", () => {
    const catalog = new RuleCatalog();
    const audit = [{ at: AT, action: "save", sessionId: S, checkpointId: undefined, agentId: undefined } as const];
    for (const id of ["a", "b", "b"]) catalog.append(id, {}, { keepNewest: 1, audit });
    expect(catalog.tables.audit.map(({ action }) => action)).toEqual(["save", "prune", "save"]);
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

  it("takes one step below the limit and two at it, whose reads are named in advance when the session was seen there", () => {
    const catalog = new RuleCatalog();
    const appendTo = (id: string, keepNewest: number, isSeen = true): void => {
      const seen = isSeen ? catalog.ask({ of: "session", id: S }) : undefined;
      catalog.change(append(anAppend(id, {}, { keepNewest, seen })));
    };
    for (const id of ["a", "b"]) appendTo(id, 2);
    expect([catalog.steps, catalog.surprises]).toEqual([1, 0]);
    appendTo("c", 2);
    expect([catalog.steps, catalog.surprises]).toEqual([2, 0]);
    appendTo("d", 2, false);
    expect([catalog.steps, catalog.surprises]).toEqual([2, 1]);
    appendTo("e", 1);
    expect([catalog.steps, catalog.surprises]).toEqual([2, 1]);
  });
});
