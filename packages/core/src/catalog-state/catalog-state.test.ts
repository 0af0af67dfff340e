import { hash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BlobRef, CheckpointId, SessionId } from "../model/ids.ts";
import type { CatalogChange } from "../ports/catalog.ts";
import { aRecord } from "../../../storage-conformance/src/builders.ts";
import type { CatalogEntries } from "./catalog-entries.ts";
import { CatalogState } from "./catalog-state.ts";

const SESSIONS = ["s", "t"] as SessionId[];
const AUDIT = { at: new Date(0), action: "save", sessionId: undefined, checkpointId: undefined, agentId: undefined } as const;

const sha256 = (text: string): string => hash("sha256", text, "hex");

type Step = (state: CatalogState, number: number) => void;

const someId = fc.nat({ max: 12 }).map((number) => `c${number}` as CheckpointId);
const someSession = fc.constantFrom(...SESSIONS);

type Unlogged<C> = C extends unknown ? Omit<C, "audit"> : never;

function committing(change: (number: number) => Unlogged<CatalogChange>): Step {
  return (state, number) => void state.apply({ ...change(number), audit: [AUDIT] }, () => true, sha256);
}

const someStep: fc.Arbitrary<Step> = fc.oneof(
  fc
    .record({ id: someId, sessionId: someSession, keepNewest: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }) })
    .map(({ id, sessionId, keepNewest }) =>
      committing((number) => {
        const record = aRecord({ id, sessionId, blob: `blob-${id}` as BlobRef, createdAt: new Date(number) });
        return { append: { record, unlessHeadIs: undefined, expectedHead: undefined, keepNewest } };
      }),
    ),
  fc.record({ sessionId: someSession, key: fc.constantFrom("a", "b") }).map(({ sessionId, key }) =>
    committing((number) => ({
      pins: { sessionId, pin: number % 2 === 0 ? [key] : [], release: number % 2 === 0 ? [] : [key] },
      tags: { sessionId, add: [key], remove: [] },
    })),
  ),
  fc
    .record({ id: someId, ms: fc.nat({ max: 40 }) })
    .map(({ id, ms }) => committing(() => ({ shields: [{ checkpointId: id, until: new Date(ms) }] }))),
  fc.record({ sessionId: someSession, id: someId, kind: fc.nat({ max: 3 }) }).map(({ sessionId, id, kind }) =>
    committing((number) => {
      const common = { sessionId, checkpoints: [id], at: new Date(number), reason: "test" };
      if (kind < 2) return { move: { ...common, from: "live", to: kind === 0 ? "trash" : "nowhere" } };
      return { move: { ...common, from: "trash", to: kind === 2 ? "live" : "nowhere" } };
    }),
  ),
  fc.record({ dependent: someId, base: someId, isAdded: fc.boolean() }).map(({ isAdded, ...edge }) =>
    committing((number) => ({
      edges: isAdded ? { add: [edge], drop: [] } : { add: [], drop: [edge] },
      accesses: [{ checkpointId: edge.base, at: new Date(number + 1_000) }],
    })),
  ),
  someId.map((id): Step => (state) => {
    const record = state.find(id);
    if (record !== undefined) state.changeForm(record, { blobBytes: record.blobBytes + 1, baseId: null, keyId: null });
  }),
  someId.map((id): Step => (state) => {
    const record = state.find(id);
    if (record !== undefined) state.markDamaged(record, { ...AUDIT, action: "quarantine" }, sha256);
  }),
  fc.constant<Step>((state) => {
    for (const ref of state.needless(undefined, new Date(0))) state.reclaimed(ref);
  }),
  fc.boolean().map((isHeld): Step => (state, number) => {
    if (isHeld) state.hold("backup", new Date(number));
    else state.release("backup");
  }),
  fc.constant<Step>((state) => void state.reconcile(true)),
  fc.nat({ max: 5 }).map(
    (limit): Step =>
      (state, number) =>
        void state.cutAudit({ before: new Date(number), at: new Date(number), limit }, sha256),
  ),
);

/** Returns the results of all reads of a state. */
function answersOf(state: CatalogState): unknown {
  const query = { limit: 100, offset: 0 };
  return {
    all: state.list({ filter: {}, ...query }),
    bySession: SESSIONS.map((sessionId) => [
      state.session(sessionId),
      state.head(sessionId),
      state.factsOf(sessionId),
      state.list({ filter: { sessionId }, ...query }),
    ]),
    trash: state.trash({ limit: 100 }),
    usage: state.usage(),
    needless: state.needless(undefined, new Date(0)),
    isPristine: state.isPristine,
    audit: state.audit,
    chain: state.checkAudit({ limit: 1_000 }, sha256),
  };
}

describe("a catalog's state", () => {
  it("is the same when it is made of the changes it told, and of its entries", () => {
    fc.assert(
      fc.property(fc.array(someStep, { maxLength: 60 }), (steps) => {
        const state = new CatalogState();
        const told: CatalogEntries[] = [structuredClone(state.takeChanges())];
        for (const [number, step] of steps.entries()) {
          step(state, number);
          state.changedFacts();
          told.push(structuredClone(state.takeChanges()));
        }
        expect(answersOf(CatalogState.from(told))).toEqual(answersOf(state));
        expect(answersOf(CatalogState.from([state.entries()]))).toEqual(answersOf(state));
      }),
      { numRuns: 300 },
    );
  });

  it("tells no change twice", () => {
    const state = new CatalogState();
    const record = aRecord({ id: "c" as CheckpointId, sessionId: "s" as SessionId });
    const append = { record, unlessHeadIs: undefined, expectedHead: undefined, keepNewest: undefined };
    state.apply({ append, audit: [AUDIT] }, () => true, sha256);
    expect(state.takeChanges()).toMatchObject({ checkpoints: [[record.id, {}]], audit: [AUDIT] });
    const { lastCommit, ...rest } = state.takeChanges();
    expect(lastCommit).toBe(1);
    expect(Object.values(rest).flat()).toEqual([]);
  });
});
