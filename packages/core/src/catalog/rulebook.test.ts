import { hash } from "node:crypto";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { CatalogState } from "../catalog-state/catalog-state.ts";
import { CHECKPOINT_KINDS, type CheckpointRecord, type NewRecord } from "../model/checkpoint.ts";
import type { BlobRef, CheckpointId, SessionId } from "../model/ids.ts";
import type { SessionFacts } from "../model/session.ts";
import type { Catalog, CatalogChange, CatalogRecovery, Move } from "../ports/catalog.ts";
import { aRecord } from "../../../storage-conformance/src/builders.ts";
import { catalogOver } from "./catalog-over.ts";
import type { CatalogContent, CatalogPort, RecoveryPort } from "./catalog-port.ts";
import { answered, decided } from "./decided.ts";
import { MemoryTables } from "./memory-tables.ts";
import type { Facts, Reads } from "./reads.ts";
import type { Rule } from "./rule.ts";

const SESSIONS = ["s", "t"] as SessionId[];
const KINDS = ["workflow", "workflow", "workflow", "project", "aside"] as const;
const HOLDER = "backup";

const sha256 = (text: string): string => hash("sha256", text, "hex");
const timeOf = (index: number): Date => new Date(1_000 + index * 1_000);
const refOf = (id: string): BlobRef => `blob-${id}` as BlobRef;

/** Each id belongs to one session: the catalog state keys removals by id, the rules by blob. */
const sessionOf = (id: CheckpointId): SessionId => (Number(id.slice(1)) % 3 === 0 ? "t" : "s") as SessionId;

/** Rows in memory, as an adapter without durability keeps them. */
class Rows implements CatalogPort, RecoveryPort {
  tables = new MemoryTables(() => true);
  readonly facts = new Map<SessionId, SessionFacts>();

  async read<const R extends Reads>(reads: R): Promise<Facts<R>> {
    return answered(reads, (read) => this.tables.answer(read));
  }

  async change<Out>(rule: Rule<Out>): Promise<Out> {
    const decision = decided(rule, { answer: (read) => this.tables.answer(read), keepsFacts: true });
    if ((await decision.blobs?.()) === false) return decision.withdrawn as Out;
    for (const facts of decision.facts) this.facts.set(facts.sessionId, facts);
    for (const id of decision.forgotten ?? []) this.facts.delete(id);
    this.tables.apply(decision);
    return decision.outcome;
  }

  async state(): Promise<"sound"> {
    return "sound";
  }

  async *sessionFacts(): AsyncGenerator<SessionFacts> {
    yield* this.facts.values();
  }

  async replaceAll({ rows, audit, facts }: CatalogContent): Promise<void> {
    this.tables = new MemoryTables(() => true);
    this.tables.apply({ rows, audit });
    for (const each of facts) this.facts.set(each.sessionId, each);
  }
}

/** A catalog state with the session facts and blobs that an adapter would keep for it. */
class Today {
  state = new CatalogState();
  readonly facts = new Map<SessionId, SessionFacts>();

  settle<T>(outcome: T): T {
    for (const id of this.state.takeForgotten()) this.facts.delete(id);
    for (const facts of this.state.changedFacts()) this.facts.set(facts.sessionId, facts);
    return outcome;
  }

  reclaim(refs: readonly BlobRef[] | undefined, told: string[]): readonly BlobRef[] {
    const removed: BlobRef[] = [];
    for (;;) {
      const needless = this.state.needless(
        refs?.filter((ref) => !removed.includes(ref)),
        new Date(),
      );
      if (needless.length === 0) return removed;
      for (const ref of needless) {
        told.push(`${this.state.isToBeErased(ref) ? "erase" : "remove"} ${ref}`);
        this.state.reclaimed(ref);
      }
      removed.push(...needless);
    }
  }
}

interface Pair {
  readonly today: Today;
  readonly rows: Rows;
  readonly catalog: Catalog & CatalogRecovery;
}

/** Does the same to both, and returns both outcomes. */
type Step = (pair: Pair, index: number) => Promise<readonly [unknown, unknown]>;

type Unlogged<C> = C extends unknown ? Omit<C, "audit"> : never;

function committing(change: (index: number) => Unlogged<CatalogChange>): Step {
  return async ({ today, catalog }, index) => {
    const audit = [{ at: timeOf(index), action: "export", sessionId: undefined, checkpointId: undefined, agentId: "agent" }] as const;
    const given: CatalogChange = { ...change(index), audit };
    const outcome = today.settle(today.state.apply({ ...given, audit: [] }, () => true, sha256));
    // The rules write the rows of the caller last.
    if (outcome.status === "committed") today.state.apply({ audit }, () => true, sha256);
    return [outcome, await catalog.commit(given)];
  };
}

const someId = fc.nat({ max: 12 }).map((number) => `c${String(number).padStart(2, "0")}` as CheckpointId);
const someSession = fc.constantFrom(...SESSIONS);

const someSave = fc
  .record({
    id: someId,
    kind: fc.constantFrom(...KINDS),
    isKept: fc.nat(5),
    isSame: fc.nat(5),
    expects: fc.nat(5),
    keepNewest: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
    hasQuota: fc.boolean(),
    shieldMs: fc.option(fc.nat(40_000), { nil: undefined, freq: 3 }),
    access: fc.option(someId, { nil: undefined, freq: 3 }),
  })
  .map(({ id, kind, isKept, isSame, expects, keepNewest, hasQuota, shieldMs, access }) =>
    committing((index) => {
      const sessionId = sessionOf(id);
      const tags = isKept === 0 ? ["keep", "x"] : ["x"];
      const same = "5".repeat(64) as CheckpointRecord["canonicalDigest"];
      const given = { id, sessionId, kind, tags, blob: refOf(id), createdAt: timeOf(index), blobBytes: 50 + index, agentId: "agent" };
      const record = aRecord(isSame === 0 ? { ...given, canonicalDigest: same } : given);
      return {
        append: {
          record,
          unlessHeadIs: isSame === 0 ? same : undefined,
          expectedHead: expects === 0 ? null : undefined,
          keepNewest: kind === "aside" ? undefined : keepNewest,
          asides: kind === "aside" ? { count: 2, bytes: 400 } : undefined,
          quota: hasQuota ? { session: 700, store: 1_000 } : undefined,
        },
        shields: shieldMs === undefined ? [] : [{ checkpointId: id, until: new Date(shieldMs) }],
        accesses: access === undefined ? [] : [{ checkpointId: access, at: timeOf(index + 3) }],
      };
    }),
  );

const someMove = fc
  .record({
    sessionId: someSession,
    checkpoints: fc.array(someId, { maxLength: 3 }),
    way: fc.nat(3),
    erases: fc.boolean(),
    sparesShielded: fc.boolean(),
    unusedMs: fc.option(fc.nat(40_000), { nil: undefined, freq: 2 }),
    isUse: fc.boolean(),
  })
  .map(({ way, unusedMs, isUse, ...move }) =>
    committing((index) => {
      const [from, to] = [
        ["live", "trash"],
        ["live", "nowhere"],
        ["trash", "live"],
        ["trash", "nowhere"],
      ][way] as [string, string];
      const unlessUsedSince = unusedMs === undefined ? undefined : new Date(unusedMs);
      const whole = { ...move, from, to, at: timeOf(index), reason: "test", agentId: "agent", unlessUsedSince } as Move;
      return { move: whole, accesses: isUse ? move.checkpoints.map((checkpointId) => ({ checkpointId, at: timeOf(index) })) : [] };
    }),
  );

const someLabels = fc
  .record({ sessionId: someSession, add: fc.array(fc.constantFrom("keep", "a", "b")), remove: fc.array(fc.constantFrom("keep", "a")) })
  .map(({ sessionId, add, remove }) =>
    committing(() => ({ tags: { sessionId, add, remove }, pins: { sessionId, pin: add, release: remove } })),
  );

const someShields = fc
  .array(fc.record({ checkpointId: someId, ms: fc.nat(40_000) }), { maxLength: 4 })
  .map((shields) => committing(() => ({ shields: shields.map(({ checkpointId, ms }) => ({ checkpointId, until: new Date(ms) })) })));

const someLoads = fc
  .array(fc.record({ checkpointId: someId, ms: fc.nat(60_000) }), { maxLength: 4 })
  .map((loads) => committing(() => ({ accesses: loads.map(({ checkpointId, ms }) => ({ checkpointId, at: new Date(ms) })) })));

const someEdges = fc
  .record({ add: fc.array(fc.tuple(someId, someId), { maxLength: 2 }), drop: fc.array(fc.tuple(someId, someId), { maxLength: 2 }) })
  .map(({ add, drop }) => {
    const edge = ([dependent, base]: readonly [CheckpointId, CheckpointId]) => ({ dependent, base });
    return committing(() => ({ edges: { add: add.map(edge), drop: drop.map(edge) } }));
  });

const someForgetting = fc
  .nat(60_000)
  .map((ms) => committing((index) => ({ forget: { sessions: [...SESSIONS, ...SESSIONS], unusedSince: new Date(ms), at: timeOf(index) } })));

const someEndings = fc.array(someId, { maxLength: 3 }).map((erased) => committing(() => ({ erased })));

const someForm = fc
  .record({ id: someId, base: fc.option(someId, { nil: null }), isStale: fc.nat(3) })
  .map(({ id, base, isStale }): Step => {
    return async ({ today, catalog }, index) => {
      const record = today.state.find(id) ?? today.state.trash({ checkpointId: id, limit: 1 }).entries[0]?.record;
      if (record === undefined) return [undefined, undefined];
      const expected = isStale === 0 ? { ...record, blobBytes: -1 } : record;
      const becomes = { blobBytes: 10 + index, baseId: base, keyId: null };
      const may = today.state.canChangeForm(expected, becomes);
      if (may) today.state.changeForm(expected, becomes);
      let isWritten = false;
      const done = await catalog.replaceBlob(expected, becomes, async () => void (isWritten = true));
      return [
        [may, may],
        [done, isWritten],
      ];
    };
  });

const someDamage = fc.record({ id: someId, isFound: fc.boolean() }).map(({ id, isFound }): Step => {
  return async ({ today, catalog }, index) => {
    const record = today.state.find(id);
    if (record === undefined) return [undefined, undefined];
    const audit = { at: timeOf(index), action: "quarantine", sessionId: record.sessionId, checkpointId: id, agentId: undefined } as const;
    const may = !record.damaged && isFound;
    if (may) today.state.markDamaged(record, audit, sha256);
    return [may, await catalog.markDamaged(record, audit, async () => isFound)];
  };
});

const someReclaiming = fc.option(fc.array(someId, { maxLength: 4 }), { nil: undefined }).map((some): Step => {
  return async ({ today, catalog }) => {
    const refs = some?.map(refOf);
    const [one, other]: [string[], string[]] = [[], []];
    const before = today.reclaim(refs, one);
    const after = await catalog.reclaim(refs, async (ref, isToBeErased) => void other.push(`${isToBeErased ? "erase" : "remove"} ${ref}`));
    return [
      [before.toSorted(), one.toSorted()],
      [after.toSorted(), other.toSorted()],
    ];
  };
});

const someHold = fc.nat(3).map((way): Step => {
  return async ({ today, catalog }) => {
    const until = new Date(way === 0 ? 8_000_000_000_000 : 0);
    if (way < 2) today.state.hold(HOLDER, until);
    else today.state.release(HOLDER);
    return [undefined, await (way < 2 ? catalog.holdRemovals(HOLDER, until) : catalog.releaseRemovals(HOLDER))];
  };
});

const someCut = fc.record({ ms: fc.nat(40_000), limit: fc.integer({ min: 1, max: 9 }) }).map(({ ms, limit }): Step => {
  return async ({ today, catalog }, index) => {
    const cut = { before: new Date(ms), at: timeOf(index), limit };
    return [today.state.cutAudit(cut, sha256), await catalog.cutAudit(cut)];
  };
});

const someRepair = fc.boolean().map((repair): Step => {
  return async ({ today, catalog }) => [inOrder(today.state.reconcile(repair)), inOrder(await catalog.reconcile(repair))];
});

const someRewriting = fc.constant<Step>(async ({ today, rows, catalog }, index) => {
  const rewriting = {
    record: <R>(record: R) => record,
    labels: <L extends { readonly tags: readonly string[] }>(labels: L) => ({ ...labels, tags: labels.tags.toReversed() }),
    event: <E>(event: E) => event,
    audit: { at: timeOf(index), action: "seal", sessionId: undefined, checkpointId: undefined, agentId: undefined },
    chained: { from: undefined, to: undefined },
  } as const;
  today.state = today.state.rewritten(rewriting, sha256);
  for (const facts of today.state.facts()) today.facts.set(facts.sessionId, facts);
  await catalog.rewrite?.(rewriting);
  return [today.facts.size, rows.facts.size];
});

/** Loses the catalog, and fills a new one from the records and facts that survive. */
const someLoss = fc.constant<Step>(async ({ today, rows, catalog }, index) => {
  const records = today.state.list({ filter: { kinds: CHECKPOINT_KINDS }, limit: 1_000, offset: 0 }).records.toReversed();
  const trashed = today.state.trash({ limit: 1_000 }).entries.map(({ record }) => record);
  const given: readonly NewRecord[] = [...records, ...trashed];
  const sessions = [...today.facts.values()];
  const audit = { at: timeOf(index), action: "rebuild", sessionId: undefined, checkpointId: undefined, agentId: undefined } as const;
  const filled = new CatalogState();
  today.state = filled;
  // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type -- it is no array
  filled.fill({ records: given, sessions, audit }, { refOf: ({ checkpointId }) => refOf(checkpointId), digest: sha256 });
  await catalog.replaceAll(given, sessions, audit);
  return [undefined, rows.tables.isPristine ? "pristine" : undefined];
});

const someStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: someSave },
  { weight: 6, arbitrary: someMove },
  { weight: 2, arbitrary: someLabels },
  { weight: 2, arbitrary: someShields },
  { weight: 2, arbitrary: someLoads },
  { weight: 3, arbitrary: someEdges },
  { weight: 2, arbitrary: someForgetting },
  { weight: 1, arbitrary: someEndings },
  { weight: 3, arbitrary: someForm },
  { weight: 2, arbitrary: someDamage },
  { weight: 2, arbitrary: someReclaiming },
  { weight: 1, arbitrary: someHold },
  { weight: 1, arbitrary: someCut },
  { weight: 1, arbitrary: someRepair },
  { weight: 1, arbitrary: someRewriting },
  { weight: 1, arbitrary: someLoss },
);

it("decides like the catalog state over random histories: outcomes, rows, facts, listings and audit", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someStep, { minLength: 20, maxLength: 60 }), async (steps) => {
      const rows = new Rows();
      const catalog = catalogOver(rows, { refOf: ({ checkpointId }) => refOf(checkpointId), digest: sha256 });
      const pair: Pair = { today: new Today(), rows, catalog };
      for (const [index, step] of steps.entries()) {
        const [expected, outcome] = await step(pair, index);
        expect(outcome).toEqual(expected);
        expect(await answersOf(catalog)).toEqual(await answersOf(asCatalog(pair.today.state)));
        expect(factsIn(rows.facts)).toEqual(factsIn(pair.today.facts));
      }
      expect(await catalog.auditLog({ first: "oldest" })).toEqual(pair.today.state.audit);
      expect((await catalog.checkAudit({ limit: 1_000 })).breaks).toEqual([]);
    }),
    { numRuns: Number(process.env["WORKRAIL_HISTORIES"] ?? 150) },
  );
});

type Questions = Pick<Catalog, "list" | "session" | "head" | "sessions" | "trash" | "usage" | "erasures" | "reconcile">;

/** Asks a catalog state as a catalog. */
function asCatalog(state: CatalogState): Questions {
  return {
    list: async (query) => state.list(query),
    session: async (id) => state.session(id),
    head: async (id) => state.head(id),
    sessions: async (query) => state.sessions(query),
    trash: async (query) => state.trash(query),
    usage: async () => state.usage(),
    erasures: async () => state.erasures(),
    reconcile: async (repair) => state.reconcile(repair),
  };
}

async function answersOf(catalog: Questions): Promise<unknown> {
  const page = { limit: 3, offset: 1 };
  return {
    all: await catalog.list({ filter: { kinds: CHECKPOINT_KINDS }, limit: 100, offset: 0 }),
    pages: await pagesOf((after) => catalog.list({ filter: {}, ...page, after })),
    kept: await catalog.list({ filter: { tags: ["keep"] }, limit: 9, offset: 0 }),
    found: await catalog.list({ filter: { query: "AGENT x", since: timeOf(3), idPrefix: "c0" }, limit: 9, offset: 0 }),
    heads: await catalog.list({ filter: { headsOnly: true }, limit: 9, offset: 0 }),
    sessions: await Promise.all(
      SESSIONS.map(async (sessionId) => [
        await catalog.session(sessionId),
        await catalog.head(sessionId),
        await pagesOf((after) => catalog.list({ filter: { sessionId }, limit: 2, offset: 0, after })),
      ]),
    ),
    listed: await pagesOf((after) => catalog.sessions({ limit: 1, after })),
    empty: await catalog.sessions({ empty: true, limit: 9 }),
    trash: await pagesOf((after) => catalog.trash({ limit: 2, after })),
    usage: await catalog.usage(),
    erasures: (await catalog.erasures()).map(({ edges, ...each }) => [each, edges.map(nameOf).toSorted()]).toSorted(byText),
    contradictions: inOrder(await catalog.reconcile(false)),
  };
}

/** All pages. The places of cursors differ where a removed commit was the last one before a rewriting. */
async function pagesOf<P extends { readonly next: string | undefined }>(
  list: (after: P["next"] & Parameters<Catalog["list"]>[0]["after"]) => Promise<P>,
): Promise<unknown> {
  const pages: unknown[] = [];
  let after: Parameters<typeof list>[0] = undefined as Parameters<typeof list>[0];
  do {
    const { next, ...rest }: P = await list(after);
    pages.push(rest);
    after = next as typeof after;
  } while (after !== undefined);
  return pages;
}

function factsIn(facts: ReadonlyMap<SessionId, SessionFacts>): unknown {
  return [...facts.values()]
    .map(({ tombstones, erasing, trash, shields, ...rest }) => ({
      ...rest,
      tombstones: tombstones.toSorted(),
      erasing: erasing.toSorted(),
      trash: trash.toSorted(byText),
      shields: shields.toSorted(byText),
    }))
    .toSorted(byText);
}

function inOrder({
  sums,
  edges,
}: {
  readonly sums: readonly SessionId[];
  readonly edges: readonly Parameters<typeof nameOf>[0][];
}): unknown {
  return { sums, edges: edges.map(nameOf).toSorted() };
}

function nameOf({ dependent, base }: { readonly dependent: string; readonly base: string }): string {
  return `${dependent} ${base}`;
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}
