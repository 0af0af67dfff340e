import { createHmac, hash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AUDIT_ACTIONS, type AuditEvent, type LoggedEvent } from "../model/audit.ts";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import { beginningAfter, CHAIN_START, checkLinks, cutEvent, linked, placeOf } from "./audit-chain.ts";
import { rechain } from "../catalog/rewrite.ts";
import { anyCharacter } from "../../../storage-conformance/test/any-character.ts";

const sha256 = (text: string): string => hash("sha256", text, "hex");
const keyed =
  (key: string) =>
  (text: string): string =>
    createHmac("sha256", key).update(text).digest("hex");

const someText = fc.option(fc.string({ unit: anyCharacter, maxLength: 8 }), { nil: undefined });
const someEvent: fc.Arbitrary<AuditEvent> = fc.record({
  at: fc.integer({ min: 0, max: 4_102_444_800_000 }).map((ms) => new Date(ms)),
  action: fc.constantFrom(...AUDIT_ACTIONS),
  sessionId: someText as fc.Arbitrary<SessionId | undefined>,
  checkpointId: someText as fc.Arbitrary<CheckpointId | undefined>,
  agentId: someText,
  reason: someText,
  subject: someText,
});
const someEvents = fc.array(someEvent, { minLength: 2, maxLength: 12 });

const DONE = { at: new Date(0), action: "export", sessionId: undefined, checkpointId: undefined, agentId: undefined } as const;

function chain(events: readonly AuditEvent[], digest = sha256): LoggedEvent[] {
  const rows: LoggedEvent[] = [];
  for (const event of events) rows.push(linked(event, rows.length === 0 ? CHAIN_START : placeOf(rows.at(-1) as LoggedEvent), digest));
  return rows;
}

/** Renumbers rows in the given order. */
function numbered(rows: readonly LoggedEvent[]): readonly LoggedEvent[] {
  return rows.map((row, index) => ({ ...row, number: index + 1 }));
}

/** A change to one row, by a person or an accident. */
const someHarm = fc.oneof(
  fc.record({ field: fc.constantFrom("sessionId", "checkpointId", "agentId", "reason", "subject"), value: someText }),
  fc.record({ field: fc.constant("at"), value: fc.integer({ min: 0, max: 4_102_444_800_000 }).map((ms) => new Date(ms)) }),
  fc.record({ field: fc.constant("action"), value: fc.constantFrom(...AUDIT_ACTIONS) }),
  fc.record({
    field: fc.constant("digest"),
    value: fc.option(fc.string({ unit: fc.constantFrom("0", "1", "e", "f"), minLength: 32, maxLength: 32 }), { nil: undefined }),
  }),
);

describe("the chain of the audit log", () => {
  it("verifies as written, starting from any row", () => {
    fc.assert(
      fc.property(someEvents, fc.nat(), (events, seed) => {
        const rows = chain(events);
        const from = seed % rows.length;
        const begin = from === 0 ? CHAIN_START : placeOf(rows[from - 1] as LoggedEvent);
        expect(checkLinks(rows.slice(from), begin, sha256)).toEqual({
          breaks: [],
          unchained: 0,
          place: placeOf(rows.at(-1) as LoggedEvent),
        });
      }),
    );
  });

  it("detects any change of any row", () => {
    fc.assert(
      fc.property(someEvents, fc.nat(), someHarm, (events, seed, { field, value }) => {
        const rows = chain(events);
        const at = seed % rows.length;
        const row = rows[at] as LoggedEvent;
        const before = row[field as keyof LoggedEvent];
        fc.pre(String(value instanceof Date ? value.getTime() : value) !== String(before instanceof Date ? before.getTime() : before));
        // When the digest of the first row is missing, only the row after it shows the break.
        rows[at] = { ...row, [field]: value };
        expect(checkLinks(rows, CHAIN_START, sha256).breaks.some(({ number }) => number === at + 1 || number === at + 2)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("detects a missing row other than the last, renumbered or not", () => {
    fc.assert(
      fc.property(someEvents, fc.nat(), (events, seed) => {
        const rows = chain(events);
        const at = seed % (rows.length - 1);
        const left = rows.toSpliced(at, 1);
        expect(checkLinks(left, CHAIN_START, sha256).breaks).toEqual([{ kind: "missing", number: at + 1, through: at + 1 }]);
        expect(checkLinks(numbered(left), CHAIN_START, sha256).breaks).not.toEqual([]);
      }),
    );
  });

  it("detects two swapped rows", () => {
    fc.assert(
      fc.property(someEvents, fc.nat(), fc.nat(), (events, one, other) => {
        const rows = chain(events);
        const [at, to] = [one % rows.length, other % rows.length];
        fc.pre(at !== to);
        const swapped = rows.with(at, rows[to] as LoggedEvent).with(to, rows[at] as LoggedEvent);
        expect(checkLinks(swapped, CHAIN_START, sha256).breaks).not.toEqual([]);
        expect(checkLinks(numbered(swapped), CHAIN_START, sha256).breaks).not.toEqual([]);
      }),
    );
  });

  it("detects a row added without the key", () => {
    fc.assert(
      fc.property(someEvents, someEvent, (events, forged) => {
        const rows = chain(events, keyed("the store's"));
        const place = placeOf(rows.at(-1) as LoggedEvent);
        for (const digest of [sha256, keyed("another"), () => place.digest]) {
          const { breaks } = checkLinks([...rows, linked(forged, place, digest)], CHAIN_START, keyed("the store's"));
          expect(breaks).toEqual([{ kind: "changed", number: rows.length + 1 }]);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("accepts unchained rows before the first chained row, and none after it", () => {
    const [one, two, three] = chain([1, 2, 3].map((ms) => ({ ...DONE, at: new Date(ms) }))) as [LoggedEvent, LoggedEvent, LoggedEvent];
    const bare = (row: LoggedEvent): LoggedEvent => ({ ...row, digest: undefined });
    const first = linked(three, { number: 2, digest: CHAIN_START.digest }, sha256);
    expect(checkLinks([bare(one), bare(two), first], CHAIN_START, sha256)).toMatchObject({ breaks: [], unchained: 2 });
    expect(checkLinks([one, bare(two), three], CHAIN_START, sha256).breaks).toEqual([
      { kind: "unchained", number: 2 },
      { kind: "changed", number: 3 },
    ]);
  });

  it("begins after the row that a cut names, or at the start", () => {
    const place = { number: 17, digest: "0123456789abcdef".repeat(2) };
    expect(beginningAfter(cutEvent(place, new Date(0)))).toEqual(place);
    for (const reason of [undefined, "", "through 17", `through 17 ${"x".repeat(32)}`])
      expect(beginningAfter({ reason })).toEqual(CHAIN_START);
  });
});

describe("a log with a new chain", () => {
  const rewriting = {
    record: <R>(record: R) => record,
    labels: <L>(labels: L) => labels,
    event: (event: AuditEvent) => ({ ...event, agentId: event.agentId && `sealed ${event.agentId}` }),
    audit: { ...DONE, action: "seal" },
    chained: { from: undefined, to: keyed("key") },
  } as const;

  it("verifies under the new digest, cut or not, and ends with the row that records the change", () => {
    fc.assert(
      fc.property(someEvents, fc.nat(), (events, seed) => {
        const rows = chain(events.filter(({ action }) => action !== "audit-cut"));
        fc.pre(rows.length > 1);
        const cutAt = seed % rows.length;
        const begin = cutAt === 0 ? CHAIN_START : placeOf(rows[cutAt - 1] as LoggedEvent);
        const end = placeOf(rows.at(-1) as LoggedEvent);
        const kept = cutAt === 0 ? rows : [...rows.slice(cutAt), linked(cutEvent(begin, new Date(0)), end, sha256)];
        const fresh = rechain(kept, rewriting, sha256);
        expect(checkLinks(fresh, begin, keyed("key"))).toMatchObject({ breaks: [], unchained: 0 });
        expect(fresh.at(-1)).toMatchObject({ action: "seal", reason: undefined });
        expect(fresh.slice(0, -1).map(({ number, at, reason }) => [number, at, reason])).toEqual(
          kept.map(({ number, at, reason }) => [number, at, reason]),
        );
      }),
    );
  });

  it("is neither rechained nor recorded twice when the rewriting is repeated", () => {
    const done = rechain(chain([1, 2, 3].map((ms) => ({ ...DONE, at: new Date(ms), agentId: "ada" }))), rewriting, sha256);
    expect(rechain(done, rewriting, sha256)).toEqual(done);
    const made = chain([{ ...DONE, action: "rebuild" }], keyed("key"));
    expect(rechain(made, rewriting, sha256)).toMatchObject([{ action: "rebuild" }, { action: "seal" }]);
  });

  it("records in that row where the chain was broken before", () => {
    const rows = chain([1, 2, 3, 4].map((ms) => ({ ...DONE, at: new Date(ms) })));
    const changed = rows.with(1, { ...(rows[1] as LoggedEvent), reason: "another" });
    expect(rechain(changed, rewriting, sha256).at(-1)).toMatchObject({ action: "seal", reason: "the chain was broken at 2" });
    expect(checkLinks(rechain(rows.toSpliced(2, 1), rewriting, sha256), CHAIN_START, keyed("key")).breaks).toEqual([
      { kind: "missing", number: 3, through: 3 },
    ]);
  });
});
