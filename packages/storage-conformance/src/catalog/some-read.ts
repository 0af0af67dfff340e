import {
  ALL,
  type AttributeValue,
  AUDIT_ACTIONS,
  type AuditQuery,
  type BlobRef,
  CHECKPOINT_KINDS,
  type CheckpointId,
  type Read,
  type SelectSessions,
  type SessionId,
  type Where,
} from "@workrail/core";
import * as fc from "fast-check";
import { ASKED, COMMON_DIR, IDS, PROJECTS, SESSIONS, sessionOf, someTime, TAGS, TEXTS } from "./some-step.ts";

type Kind = Read["of"];
type ReadOf<K extends Kind> = Extract<Read, { readonly of: K }>;
/** Each condition with values that some rows meet, and some do not. */
type Conditions<W> = { readonly [C in keyof W]-?: fc.Arbitrary<NonNullable<W[C]>> };

/** Reads of every kind, by the conditions that they may have. */
export interface ReadArbitraries {
  readonly kinds: { readonly [K in Kind]: fc.Arbitrary<ReadOf<K>> };
  /** Reads of checkpoints and their places and number, with this condition alone or with up to two more. */
  readonly conditions: { readonly [C in Exclude<keyof Where, "state">]: fc.Arbitrary<Read> };
}

/** Makes reads of a store that steps filled. */
export function someReads(refOf: (sessionId: SessionId, id: CheckpointId) => BlobRef): ReadArbitraries {
  const someRef = someId.map((id): BlobRef => refOf(sessionOf(id), id));
  const where = conditionsOfCheckpoints(someRef);
  const someWhere = fc.tuple(someState, some(where)).map(([state, conditions]): Where => ({ ...conditions, state }));
  const refs = fc.array(someRef, { maxLength: 4 });
  return {
    conditions: Object.fromEntries(
      Object.entries(where).map(([name, values]) => {
        const alone = fc.tuple(someState, some(where), values as fc.Arbitrary<unknown>, fc.boolean());
        const given = alone.map(([state, more, value, isAlone]): Where => ({ ...(isAlone ? {} : more), state, [name]: value }));
        return [name, fc.oneof(...Object.values(readsOfCheckpoints(given)))];
      }),
    ) as unknown as ReadArbitraries["conditions"],
    kinds: {
      ...readsOfCheckpoints(someWhere),
      checkpoint: someId.map((id) => ({ of: "checkpoint", id })),
      session: someSession.map((id) => ({ of: "session", id })),
      sessions: fc
        .record({
          where: some(CONDITIONS_OF_SESSIONS),
          limit: someLimit,
          after: fc.option(fc.tuple(someTime, someSession), { nil: undefined }),
        })
        .map((read) => ({ of: "sessions", ...read })),
      edges: some({ dependents: someIds, bases: someIds }).map((read) => ({ of: "edges", ...read })),
      removals: fc
        .tuple(
          some({ blobs: refs, sessionId: someSession, isNoBase: fc.constant(true as const) }),
          fc.option(someLimit, { nil: undefined }),
        )
        .map(([read, limit]) => ({ of: "removals", ...read, isDone: false, limit })),
      erasures: some({ blobs: refs, sessionId: someSession, checkpointId: someId }).map((read) => ({ of: "erasures", ...read })),
      holds: fc.constant({ of: "holds" }),
      bytes: fc.constant({ of: "bytes" }),
      totals: fc.constant({ of: "totals" }),
      audit: some(CONDITIONS_OF_AUDIT).map((query) => ({ of: "audit", query })),
      mark: fc.constant({ of: "mark" }),
      blob: someRef.map((ref) => ({ of: "blob", ref })),
      contradictions: fc.constant({ of: "contradictions" }),
    },
  };
}

const someId = fc.constantFrom(...IDS, "unknown" as CheckpointId);
const someIds = fc.array(someId, { maxLength: 5 });
const someSession = fc.constantFrom(...SESSIONS, "unknown" as SessionId);
const someState = fc.constantFrom("live" as const, "trash" as const, "any" as const);
const someLimit = fc.constantFrom(0, 1, 2, 5, ALL);
const someTag = fc.constantFrom(...TAGS, "rel");
const someText = fc.constantFrom(...TEXTS);
const somePart = fc.constantFrom("PLAN", "an", "100%", "n_p", "_", "\\path", "änderung", "ä", "b,c", "quoted", "nowhere");

function conditionsOfCheckpoints(someRef: fc.Arbitrary<BlobRef>): Conditions<Omit<Where, "state">> {
  return {
    ids: someIds,
    idPrefix: fc.oneof(
      someId.chain((id) => fc.nat(id.length).map((length) => id.slice(0, length))),
      fc.constantFrom("c", "C", "__", "%"),
    ),
    notId: someId,
    blobs: fc.array(someRef, { maxLength: 5 }),
    sessionId: someSession,
    project: fc.constantFrom(...PROJECTS, "/home"),
    notProject: fc.constantFrom(...PROJECTS, "/home"),
    repository: fc.constantFrom(COMMON_DIR, "/home/me/app"),
    kinds: fc.subarray([...CHECKPOINT_KINDS]),
    notKinds: fc.subarray([...CHECKPOINT_KINDS]),
    damaged: fc.boolean(),
    ownTags: fc.array(someTag, { maxLength: 3 }),
    withoutTag: someTag,
    unshieldedAt: someTime,
    isShielded: fc.constant(true as const),
    tags: fc.uniqueArray(someTag, { maxLength: 2 }),
    words: fc.array(
      fc.oneof(somePart, fc.constantFrom("Needle", "LOGIN-form", COMMON_DIR, String.raw`C:\Tools`, `"quoted"`, "c%r", "phase")),
      { maxLength: 2 },
    ),
    name: somePart,
    workflowId: someText,
    agentId: someText,
    attributes: fc
      .uniqueArray(fc.constantFrom(...ASKED), { maxLength: 2, selector: ([key]) => key })
      .map((entries) => Object.fromEntries(entries) as Record<string, AttributeValue>),
    phase: fc.constantFrom("plan", "pla"),
    since: someTime,
    until: someTime,
    headsOnly: fc.constant(true),
  };
}

const CONDITIONS_OF_SESSIONS: Conditions<SelectSessions["where"]> = {
  has: fc.constantFrom("live" as const, "nothing" as const),
  project: fc.constantFrom(...PROJECTS),
  unusedSince: someTime,
  withoutTag: someTag,
};

const CONDITIONS_OF_AUDIT: Conditions<AuditQuery> = {
  actions: fc.subarray([...AUDIT_ACTIONS]),
  sessionId: someSession,
  checkpointIds: someIds,
  at: someTime,
  since: someTime,
  until: someTime,
  limit: someLimit,
  first: fc.constantFrom("newest" as const, "oldest" as const),
  after: fc.nat(60),
};

/** Some of the conditions, few enough that rows are left. */
function some<W>(conditions: Conditions<W>): fc.Arbitrary<Partial<W>> {
  const names = Object.keys(conditions) as (keyof W & string)[];
  return fc.subarray(names, { maxLength: Math.min(3, names.length) }).chain((chosen) => {
    return fc.record(Object.fromEntries(chosen.map((name) => [name, conditions[name]]))) as fc.Arbitrary<Partial<W>>;
  });
}

/** In the order of the trash, the checkpoints are all there, and a page continues after a time and an id. */
function readsOfCheckpoints(someWhere: fc.Arbitrary<Where>) {
  const after = fc.option(fc.nat(60), { nil: undefined });
  const order = fc.constantFrom("newest" as const, "oldest" as const);
  const pages = { where: someWhere, limit: someLimit, offset: fc.constantFrom(undefined, 0, 1, 4) };
  return {
    checkpoints: fc.oneof(
      fc.record({ of: fc.constant("checkpoints" as const), order, after, ...pages }),
      fc.record({ of: fc.constant("checkpoints" as const), order: fc.constant("any" as const), ...pages }),
      fc.record({
        of: fc.constant("checkpoints" as const),
        order: fc.constant("trashed" as const),
        after: fc.option(fc.tuple(someTime, someId), { nil: undefined }),
        ...pages,
        where: someWhere.map((where): Where => ({ ...where, state: "trash" })),
      }),
    ),
    places: fc.oneof(
      fc.record({ of: fc.constant("places" as const), where: someWhere, order, limit: someLimit, after }),
      fc.record({ of: fc.constant("places" as const), where: someWhere, order: fc.constant("any" as const), limit: someLimit }),
    ),
    count: fc.record({ of: fc.constant("count" as const), where: someWhere }),
  };
}
