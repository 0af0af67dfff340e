import { hash } from "node:crypto";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { AuditEvent } from "../model/audit.ts";
import { CHECKPOINT_KINDS, type CheckpointRecord, type NewRecord } from "../model/checkpoint.ts";
import type { BlobRef, CheckpointId, PageCursor, SessionId } from "../model/ids.ts";
import type { SessionFacts } from "../model/session.ts";
import { type CatalogChange, commit } from "./rules/commit.ts";
import type { Move } from "./rules/move.ts";
import { aRecord } from "../../../storage-conformance/src/builders.ts";
import { runsOf } from "../../../storage-conformance/test/long-form.ts";
import { fill } from "./fill.ts";
import { auditRows, checkAudit } from "./queries/read-audit.ts";
import type { ChainedStorage } from "../ports/storage.ts";
import type { CatalogContent, CatalogPort, RecoveryPort } from "./catalog-port.ts";
import { chained } from "../audit/audit-chain.ts";
import { answered, decided, type Rule } from "./rule.ts";
import { MemoryTables } from "./memory-tables.ts";
import type { Facts, Reads } from "./reads.ts";
import { EVERYTHING, rewrite } from "./rewrite.ts";
import { changesOf, type Tables } from "./rows.ts";
import { type Labels, NaiveCatalog } from "../../test/naive-catalog.ts";
import { listErasures } from "./queries/list-erasures.ts";
import { sumUsage } from "./queries/sum-usage.ts";
import { queryTrash } from "./queries/query-trash.ts";
import { querySessions } from "./queries/query-sessions.ts";
import { findHead, queryCheckpoints } from "./queries/query-checkpoints.ts";
import { findDiscrepancies, reconcile } from "./rules/reconcile.ts";
import { cutRows } from "./rules/cut-audit.ts";
import { hold, release } from "./rules/hold.ts";
import { reclaimBlobs, type RemoveBlobs } from "./rules/reclaim.ts";
import { reclaimAndForget } from "./rules/reclaim-and-forget.ts";
import { changeForm, markDamaged } from "./rules/change-form.ts";

const SESSIONS = ["s", "t"] as SessionId[];
const KINDS = ["workflow", "workflow", "workflow", "project", "aside"] as const;
const HOLDER = "backup";

const sha256 = (text: string): string => hash("sha256", text, "hex");
const timeOf = (index: number): Date => new Date(1_000 + index * 1_000);
const refOf = (id: string): BlobRef => `blob-${id}` as BlobRef;

/** Each id belongs to one session, and so does its blob. */
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

interface Pair extends Pick<ChainedStorage, "catalog" | "recovery" | "chain"> {
  naive: NaiveCatalog;
  readonly rows: Rows;
}

/** Does the same to both, and returns both outcomes. */
type Step = (pair: Pair, index: number) => Promise<readonly [unknown, unknown]>;

type Unlogged<C> = C extends unknown ? Omit<C, "audit"> : never;

function committing(change: (index: number) => Unlogged<CatalogChange>): Step {
  return async ({ naive, catalog }, index) => {
    const audit = [{ at: timeOf(index), action: "export", sessionId: undefined, checkpointId: undefined, agentId: "agent" }] as const;
    const given: CatalogChange = { ...change(index), audit };
    return [naive.commit(given), await catalog.change(commit(given))];
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
    return async ({ naive, catalog }, index) => {
      const record = naive.kept.find((row) => row.record.id === id)?.record;
      if (record === undefined) return [undefined, undefined];
      const expected = isStale === 0 ? { ...record, blobBytes: -1 } : record;
      const becomes = { blobBytes: 10 + index, baseId: base, keyId: null };
      const may = naive.changeForm(expected, becomes);
      let isWritten = false;
      const done = await catalog.change(changeForm(expected, becomes, async () => void (isWritten = true)));
      return [
        [may, may],
        [done, isWritten],
      ];
    };
  });

const someDamage = fc.record({ id: someId, isFound: fc.boolean() }).map(({ id, isFound }): Step => {
  return async ({ naive, catalog }, index) => {
    const record = naive.find(id);
    if (record === undefined) return [undefined, undefined];
    const audit = { at: timeOf(index), action: "quarantine", sessionId: record.sessionId, checkpointId: id, agentId: undefined } as const;
    const may = !record.damaged && isFound;
    if (may) naive.markDamaged(record, audit);
    return [may, await catalog.change(markDamaged(record, audit, async () => isFound))];
  };
});

const someReclaiming = fc.option(fc.array(someId, { maxLength: 4 }), { nil: undefined }).map((some): Step => {
  return async ({ naive, catalog }) => {
    const refs = some?.map(refOf);
    const told: string[] = [];
    await reclaimBlobs(catalog, refs, telling(told));
    return [naive.reclaim(refs, new Date()), told.toSorted()];
  };
});

const someEmptying = fc.subarray(SESSIONS).map((some): Step => {
  return async ({ naive, catalog }, index) => {
    const forgets = { sessions: new Set(some), at: timeOf(index) };
    const told: string[] = [];
    await reclaimAndForget(catalog, forgets, telling(told));
    return [naive.reclaimAndForget(forgets, new Date()), told.toSorted()];
  };
});

function telling(told: string[]): RemoveBlobs {
  return async (needless, toBeErased) => {
    for (const ref of needless) told.push(`${toBeErased.has(ref) ? "erase" : "remove"} ${ref}`);
  };
}

const someHold = fc.nat(3).map((way): Step => {
  return async ({ naive, catalog }) => {
    const until = new Date(way === 0 ? 8_000_000_000_000 : 0);
    if (way < 2) naive.holds.set(HOLDER, until);
    else naive.holds.delete(HOLDER);
    return [undefined, await (way < 2 ? catalog.change(hold({ holder: HOLDER, until })) : catalog.change(release(HOLDER)))];
  };
});

const someCut = fc.record({ ms: fc.nat(40_000), limit: fc.integer({ min: 1, max: 9 }) }).map(({ ms, limit }): Step => {
  return async ({ naive, catalog }, index) => {
    const cut = { before: new Date(ms), at: timeOf(index), limit };
    const kept = naive.audit.findIndex(({ at }) => at >= cut.before);
    const count = Math.min(kept === -1 ? naive.audit.length : kept, limit);
    if (count > 0) naive.audit.push({ at: cut.at, action: "audit-cut", sessionId: undefined, checkpointId: undefined, agentId: undefined });
    naive.audit.splice(0, count);
    return [count, await catalog.change(cutRows(cut))];
  };
});

const someRepair = fc.boolean().map((repair): Step => {
  return async ({ naive, catalog }) => {
    const { sums, edges } = await (repair ? catalog.change(reconcile()) : findDiscrepancies(catalog));
    return [
      { sums: [], edges: naive.missingEdges(repair).map(nameOf).toSorted() },
      { sums, edges: edges.map(nameOf).toSorted() },
    ];
  };
});

const someRewriting = fc.constant<Step>(async ({ naive, rows }, index) => {
  const audit = { at: timeOf(index), action: "seal", sessionId: undefined, checkpointId: undefined, agentId: undefined } as const;
  const rewriting = {
    record: <R>(record: R) => record,
    labels: <L extends { readonly tags: readonly string[] }>(labels: L) => ({ ...labels, tags: labels.tags.toReversed() }),
    event: <E>(event: E) => event,
    audit,
    chained: { from: undefined, to: undefined },
  } as const;
  for (const [id, session] of naive.sessions) {
    session.tags = session.tags.toReversed();
    naive.facts.set(id, naive.factsOf(id, session));
  }
  naive.removals = naive.removals.filter(({ isDone }) => !isDone);
  if (naive.audit.at(-1)?.action !== "seal") naive.audit.push(audit);
  return [undefined, await rows.replaceAll(rewrite(await rows.read(EVERYTHING), rewriting, sha256))];
});

/** Loses the catalog, and fills a new one from the records and facts that survive. */
const someLoss = fc.constant<Step>(async (pair, index) => {
  const records: readonly NewRecord[] = pair.naive.kept.map(({ record }) => record);
  const sessions = [...pair.naive.facts.values()];
  const audit = { at: timeOf(index), action: "rebuild", sessionId: undefined, checkpointId: undefined, agentId: undefined } as const;
  pair.naive = NaiveCatalog.rebuilt(records, sessions, audit);
  const content = fill({ records, sessions, audit }, ({ checkpointId }) => refOf(checkpointId));
  return [undefined, await pair.recovery.replaceAll(content, "kept-aside")];
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
  { weight: 1, arbitrary: someEmptying },
  { weight: 1, arbitrary: someHold },
  { weight: 1, arbitrary: someCut },
  { weight: 1, arbitrary: someRepair },
  { weight: 1, arbitrary: someRewriting },
  { weight: 1, arbitrary: someLoss },
);

it("decides like literal rules over random histories: outcomes, rows, facts, listings and audit", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someStep, { minLength: 20, maxLength: 60 }), async (steps) => {
      const rows = new Rows();
      const pair: Pair = { naive: new NaiveCatalog(), rows, ...chained({ catalog: rows, recovery: rows }, sha256) };
      const { catalog } = pair;
      for (const [index, step] of steps.entries()) {
        const [expected, outcome] = await step(pair, index);
        expect(outcome).toEqual(expected);
        expect(rowsOf(rows.tables)).toEqual(naiveRows(pair.naive));
        expect(factsIn(rows.facts)).toEqual(factsIn(pair.naive.facts));
        expect(await answersOf(catalog)).toEqual(naiveAnswers(pair.naive));
      }
      expect((await auditRows(catalog, { first: "oldest" })).map(told)).toEqual(pair.naive.audit.map(told));
      expect((await checkAudit(pair.chain, { limit: 1_000 })).breaks).toEqual([]);
    }),
    { numRuns: Number(process.env["WORKRAIL_HISTORIES"] ?? runsOf(150)) },
  );
});

it("makes equal tables from the content of others", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someStep, { maxLength: 40 }), async (steps) => {
      const rows = new Rows();
      const pair: Pair = { naive: new NaiveCatalog(), rows, ...chained({ catalog: rows, recovery: rows }, sha256) };
      const { catalog } = pair;
      for (const [index, step] of steps.entries()) await step(pair, index);
      const before = { answers: await answersOf(catalog), log: await auditRows(catalog, { first: "oldest" }) };
      const { content, sessionFacts } = rows.tables;
      rows.tables = new MemoryTables(() => true, structuredClone(content));
      expect({ answers: await answersOf(catalog), log: await auditRows(catalog, { first: "oldest" }) }).toEqual(before);
      expect([rows.tables.content, rows.tables.sessionFacts]).toEqual([content, sessionFacts]);
    }),
    { numRuns: 50 },
  );
});

function told({ at, action, sessionId, checkpointId }: AuditEvent): unknown {
  return { at, action, sessionId, checkpointId };
}

function rowsOf(tables: MemoryTables): unknown {
  const { rows } = tables.content;
  const of = <T extends keyof Tables>(table: T): readonly Tables[T][] => changesOf(table, rows).flatMap(({ now }) => now ?? []);
  return {
    checkpoints: of("checkpoint").map(({ record, trashedAt }) => ({ record, trashedAt })),
    sessions: of("session").toSorted(byId),
    edges: of("edge").map(nameOf).toSorted(),
    removals: of("removal").toSorted(byBlob),
    erasures: of("erasure").toSorted(byBlob),
  };
}

function naiveRows(naive: NaiveCatalog): unknown {
  return {
    checkpoints: naive.kept,
    sessions: [...naive.sessions].map(([id, labels]) => ({ id, ...labels, ...sumsOf(naive.live(id)) })).toSorted(byId),
    edges: naive.edges.map(nameOf).toSorted(),
    removals: naive.removals.toSorted(byBlob),
    erasures: naive.erasures.toSorted(byBlob),
  };
}

function sumsOf(records: readonly CheckpointRecord[]) {
  return {
    checkpointCount: records.length,
    asideCount: records.filter(({ kind }) => kind === "aside").length,
    totalBytes: records.reduce((sum, { blobBytes }) => sum + blobBytes, 0),
  };
}

async function answersOf(catalog: CatalogPort): Promise<unknown> {
  const page = { limit: 9, offset: 0 };
  return {
    all: await queryCheckpoints(catalog, { filter: { kinds: CHECKPOINT_KINDS }, limit: 100, offset: 0 }),
    pages: (await pagesOf((after) => queryCheckpoints(catalog, { filter: {}, limit: 3, offset: 0, after }))).flatMap(
      ({ records }) => records,
    ),
    kept: (await queryCheckpoints(catalog, { filter: { tags: ["keep"] }, ...page })).records,
    found: (await queryCheckpoints(catalog, { filter: { query: "AGENT x", since: timeOf(3), idPrefix: "c0" }, ...page })).records,
    heads: (await queryCheckpoints(catalog, { filter: { headsOnly: true }, ...page })).records,
    sessions: await Promise.all(
      SESSIONS.map(async (sessionId) => {
        const pages = await pagesOf((after) => queryCheckpoints(catalog, { filter: { sessionId }, limit: 2, offset: 0, after }));
        return [await findHead(catalog, sessionId), pages.flatMap(({ records }) => records)];
      }),
    ),
    listed: (await pagesOf((after) => querySessions(catalog, { limit: 1, after }))).flatMap(({ sessions }) => sessions),
    empty: (await querySessions(catalog, { empty: true, limit: 9 })).sessions.map(({ id }) => id),
    trash: (await pagesOf((after) => queryTrash(catalog, { limit: 2, after }))).flatMap(({ entries }) => entries),
    usage: await sumUsage(catalog),
    erasures: (await listErasures(catalog)).map(({ blob, edges }) => [blob, edges.map(nameOf).toSorted()] as const).toSorted(byFirst),
  };
}

function naiveAnswers(naive: NaiveCatalog): unknown {
  const all = naive.live().toReversed();
  const listed = all.filter(({ kind }) => kind !== "aside");
  const tagsOf = ({ tags, sessionId }: CheckpointRecord) => [...tags, ...(naive.sessions.get(sessionId)?.tags ?? [])];
  const sessions = [...naive.sessions].map(([id, labels]) => ({ id, labels, records: naive.live(id) })).toSorted(byUse);
  const bases = new Set(naive.edges.map(({ base }) => base));
  const pending = naive.removals.filter(({ isDone }) => !isDone);
  const trash = naive.kept.flatMap(({ record, trashedAt }) => (trashedAt === undefined ? [] : [{ record, trashedAt }]));
  const ends = [...naive.holds.values()].filter((until) => until > new Date());
  return {
    all: { records: all, total: all.length, next: undefined },
    pages: listed,
    kept: listed.filter((record) => tagsOf(record).includes("keep")).slice(0, 9),
    found: listed.filter(({ id, createdAt }) => id.startsWith("c0") && createdAt >= timeOf(3)).slice(0, 9),
    heads: listed.filter(({ id, sessionId }) => naive.head(sessionId)?.id === id),
    sessions: SESSIONS.map((id) => [naive.head(id), listed.filter(({ sessionId }) => sessionId === id)]),
    listed: sessions.filter(({ records }) => records.length > 0).map(listedSession),
    empty: sessions.filter(({ id, labels }) => naive.isEmpty(id) && !labels.tags.includes("keep")).map(({ id }) => id),
    trash: trash.toSorted((one, other) => one.trashedAt.getTime() - other.trashedAt.getTime() || compare(one.record.id, other.record.id)),
    usage: {
      sessions: sessions.filter(({ records }) => records.length > 0).length,
      checkpoints: all.length,
      damaged: all.filter(({ damaged }) => damaged).length,
      liveBytes: sumsOf(all).totalBytes,
      trashed: trash.length,
      trashBytes: sumsOf(trash.map(({ record }) => record)).totalBytes,
      pendingRemovals: pending.length,
      neededRemovals: pending.filter(({ checkpointId }) => bases.has(checkpointId)).length,
      removalsHeldUntil: ends[0],
    },
    erasures: naive.erasures.map(({ blob, checkpointId }) => [blob, edgesTo(naive, checkpointId)] as const).toSorted(byFirst),
  };
}

function listedSession({ id, labels, records }: { id: SessionId; labels: Labels; records: readonly CheckpointRecord[] }): unknown {
  const { createdAt, lastAccessedAt, tags, pins } = labels;
  const { checkpointCount, asideCount, totalBytes } = sumsOf(records);
  const damagedCount = records.filter(({ damaged }) => damaged).length;
  const counts = { checkpointCount: checkpointCount - asideCount, asideCount, damagedCount, totalSizeBytes: totalBytes };
  return { id, createdAt, lastAccessedAt, tags, pins, ...counts };
}

/** Edges of known checkpoints to a removed one, directly or through other removed ones. */
function edgesTo({ edges, kept }: NaiveCatalog, id: CheckpointId, seen: readonly CheckpointId[] = []): readonly string[] {
  const found = edges
    .filter(({ base }) => base === id && !seen.includes(base))
    .map((edge) => {
      const isKnown = kept.some(({ record }) => record.id === edge.dependent);
      return isKnown ? [nameOf(edge)] : edgesTo({ edges, kept } as NaiveCatalog, edge.dependent, [...seen, id]);
    });
  return [...new Set(found.flat())].toSorted();
}

async function pagesOf<P extends { readonly next: PageCursor | undefined }>(
  list: (after: PageCursor | undefined) => Promise<P>,
): Promise<readonly P[]> {
  const pages: P[] = [];
  do pages.push(await list(pages.at(-1)?.next));
  while (pages.at(-1)?.next !== undefined);
  return pages;
}

function factsIn(facts: ReadonlyMap<SessionId, SessionFacts>): unknown {
  return [...facts.values()]
    .map(({ tombstones, erasing, trash, shields, ...rest }) => ({
      ...rest,
      tombstones: tombstones.toSorted(),
      erasing: erasing.toSorted(),
      trash: trash.toSorted(byCheckpoint),
      shields: shields.toSorted(byCheckpoint),
    }))
    .toSorted((one, other) => compare(one.sessionId, other.sessionId));
}

function nameOf({ dependent, base }: { readonly dependent: string; readonly base: string }): string {
  return `${dependent} ${base}`;
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return compare(one.id, other.id);
}

function byBlob(one: { readonly blob: string }, other: { readonly blob: string }): number {
  return compare(one.blob, other.blob);
}

function byCheckpoint(one: { readonly checkpointId: string }, other: { readonly checkpointId: string }): number {
  return compare(one.checkpointId, other.checkpointId);
}

function byFirst([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return compare(one, other);
}

function byUse(one: { id: string; labels: Labels }, other: { id: string; labels: Labels }): number {
  return one.labels.lastAccessedAt.getTime() - other.labels.lastAccessedAt.getTime() || compare(one.id, other.id);
}
