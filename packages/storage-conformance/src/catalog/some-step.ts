import {
  andForget,
  AUDIT_ACTIONS,
  type Append,
  type CatalogChange,
  changeForm,
  CHECKPOINT_KINDS,
  type CheckpointId,
  commit,
  type Digest,
  type Edge,
  type Emptied,
  type Facts,
  hold,
  type JsonObject,
  KEEP_TAG,
  markDamaged,
  type Move,
  parseJson,
  reclaim,
  reconcile,
  release,
  type RemoveBlobs,
  type Rule,
  type SessionId,
} from "@workrail/core";
import * as fc from "fast-check";
import { aRecord } from "../builders.ts";
import type { Twin } from "./twin.ts";

/** Few sessions and ids, so that changes meet the same rows again. Some names are awkward. */
export const SESSIONS: readonly SessionId[] = ["one", "One", "__proto__", "z"] as SessionId[];
export const IDS: readonly CheckpointId[] = Array.from(
  { length: 14 },
  (_, index) => `${index % 2 === 0 ? "c" : "C"}_${index}` as CheckpointId,
);
export const PROJECTS: readonly string[] = ["/home/ümlaut/проект/😀", "/home/me/app", "/home/me"];
export const COMMON_DIR = "/home/me/app/.git";
/** Wildcards, control characters, and letters that differ only in case or in their Unicode form. */
export const TEXTS: readonly string[] = [
  "plan",
  "the PLAN: 100%_\\path",
  " näive na\u0308ive ÄNDERUNG\n",
  "\u0000",
  '"quoted"',
  "b,c",
  "😀",
  "",
];
export const TAGS: readonly string[] = [KEEP_TAG, "a", "A", "ä", "a\u0308", "__proto__", "b,c", "with space"];
const PINS: readonly string[] = [
  "__proto__",
  "a/b~c",
  "",
  "10",
  "2",
  " ",
  "ключ",
  "\ud800",
  "\ud801",
  "\u0000",
  'quo"te',
  "x".repeat(1_000),
];

const ATTRIBUTES: readonly JsonObject[] = [
  {},
  { phase: "plan", gitState: { root: "/home/me/app-login", commonDir: COMMON_DIR, branch: "login-form" } },
  { phase: ["plan"], depth: { text: "a Needle in hay" }, place: String.raw`C:\Tools`, said: `"quoted"` },
  JSON.parse(
    String.raw`{"z":1,"a":{"__proto__":{"own":true}},"__proto__":"own","lone":"\ud800","nul":"\u0000","list":[null,1e21,-0.5,{"":""}],"10":1,"2":2}`,
  ) as JsonObject,
  { number: 1e21, part: 0.1, isDone: true, none: null, "": "", "1": "1", long: "x".repeat(257) },
  { number: 1, part: 0.1 + Number.EPSILON / 8, isDone: 1, none: false, "1": 1 },
  // After an object with a backslash as key, `JSON.parse` of some versions of V8 takes escapes at the same place for that key.
  ...["\\\\", "\\n", '\\"', "\\u0000"].map((key) => parseJson(`{"h":1,"${key}":2}`) as JsonObject),
];

/** Attributes to filter by. Some differ from those above only in their type or in their last bit. */
export const ASKED: readonly (readonly [string, string | number | boolean | null])[] = [
  ["phase", "plan"],
  ["phase", "Plan"],
  ["z", 1],
  ["z", "1"],
  ["z", true],
  ["__proto__", "own"],
  ["constructor", null],
  ["lone", "\ud800"],
  ["lone", "\ud801"],
  ["nul", "\u0000"],
  ["nul", ""],
  ["\\\\", 2],
  ['\\"', 2],
  ["number", 1e21],
  ["number", 1],
  ["part", 0.1],
  ["part", 0.1 + Number.EPSILON / 8],
  ["isDone", true],
  ["isDone", 1],
  ["none", null],
  ["none", false],
  ["none", 0],
  ["", ""],
  ["1", "1"],
  ["1", 1],
  ["list", "[]"],
];

/** One change of a catalog, as data. */
export type Step =
  | { readonly step: "commit"; readonly change: CatalogChange; readonly hasBlob: boolean }
  | { readonly step: "replace" | "damage"; readonly id: CheckpointId; readonly base: CheckpointId | null; readonly isDone: boolean }
  | {
      readonly step: "reclaim";
      readonly ids: readonly CheckpointId[] | undefined;
      readonly forgets?: Emptied;
    }
  | { readonly step: "hold"; readonly holder: string; readonly until: Date | undefined }
  | { readonly step: "cut"; readonly at: Date; readonly limit: number }
  | { readonly step: "reconcile" | "reopen" }
  | { readonly step: "replace all"; readonly at: Date };

export const HOLDERS: readonly string[] = ["backup", "ä:b"];
const HOLDS_END = new Date("2100-01-01T00:00:00.000Z");

export const someTime: fc.Arbitrary<Date> = fc.nat(40).map((second) => new Date(Date.UTC(2026, 0, 1) + second * 1_000 + (second % 3)));
const someId = fc.constantFrom(...IDS);
const someSession = fc.constantFrom(...SESSIONS);
const someText = fc.option(fc.constantFrom(...TEXTS), { nil: undefined });
const someDigest = fc.constantFrom("0", "1", "2", "3").map((digit) => digit.repeat(64) as Digest);
const someTags = fc.uniqueArray(fc.constantFrom(...TAGS), { maxLength: 4 });
const somePins = fc.uniqueArray(fc.constantFrom(...PINS), { maxLength: 4 });

function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

/** An id belongs to one session. */
export function sessionOf(id: CheckpointId): SessionId {
  return SESSIONS[Math.max(0, IDS.indexOf(id)) % 3] as SessionId;
}

const someRecord = fc
  .record({
    id: someId,
    kind: fc.oneof(fc.constant("workflow" as const), fc.constantFrom(...CHECKPOINT_KINDS)),
    parentId: fc.option(someId),
    createdAt: someTime,
    agentId: someText,
    workflowId: someText,
    project: fc.option(fc.constantFrom(...PROJECTS), { nil: undefined }),
    name: someText,
    tags: someTags,
    attributes: fc.constantFrom(...ATTRIBUTES),
    contextBytes: fc.constantFrom(0, 100, 4_294_967_297),
    layers: fc.constantFrom(undefined, { CRITICAL: 1, IMPORTANT: 0, EPHEMERAL: 12 }),
    blobBytes: fc.nat(100),
    canonicalDigest: someDigest,
    keyId: fc.constant(null),
  })
  .map((given) => aRecord({ ...given, sessionId: sessionOf(given.id) }));

const someTerms: fc.Arbitrary<Partial<Append>> = fc.record({
  keepNewest: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined, freq: 2 }),
  unlessHeadIs: rarely(someDigest),
  expectedHead: rarely(fc.constantFrom(null, ...IDS)),
  quota: rarely(fc.constant({ session: 400, store: 900 })),
  session: rarely(fc.record({ createdAt: someTime, tags: someTags, pins: somePins })),
});

const someSave = fc
  .record({ record: someRecord, terms: someTerms, hasBlob: fc.nat(9), shield: rarely(someTime) })
  .map(({ record, terms, hasBlob, shield }): Step => {
    const asides = record.kind === "aside" ? { count: 2, bytes: 150 } : undefined;
    const append = { unlessHeadIs: undefined, expectedHead: undefined, keepNewest: undefined, ...terms, record, asides };
    const shields = shield === undefined ? [] : [{ checkpointId: record.id, until: shield }];
    return { step: "commit", change: { append, shields, audit: [] }, hasBlob: hasBlob > 0 };
  });

const someMove = fc
  .record({
    id: someId,
    others: fc.array(someId, { maxLength: 3 }),
    elsewhere: rarely(someSession),
    at: someTime,
    reason: fc.constantFrom("test", "ä 😀"),
    agentId: someText,
    unlessUsedSince: rarely(someTime),
    sparesShielded: fc.boolean(),
    erases: fc.boolean(),
    way: fc.constantFrom(["live", "trash"], ["live", "nowhere"], ["trash", "live"], ["trash", "nowhere"]),
  })
  .map(({ id, others, elsewhere, way: [from, to], ...given }): Step => {
    const move = { ...given, sessionId: elsewhere ?? sessionOf(id), checkpoints: [id, ...others], from, to } as Move;
    return { step: "commit", change: { move, audit: [] }, hasBlob: true };
  });

/** Edges within sessions: few, so that the same ones are added and dropped. */
export const EDGES: readonly Edge[] = [
  [0, 3],
  [3, 6],
  [6, 0],
  [1, 4],
  [4, 7],
  [2, 5],
].map(([dependent = 0, base = 0]) => {
  return { dependent: IDS[dependent] as CheckpointId, base: IDS[base] as CheckpointId };
});
const someEdges = fc.subarray([...EDGES], { maxLength: 3 });

const someNotes = fc
  .record({
    pins: fc.option(fc.record({ sessionId: someSession, pin: somePins, release: somePins }), { nil: undefined }),
    tags: fc.option(fc.record({ sessionId: someSession, add: someTags, remove: someTags }), { nil: undefined }),
    edges: fc.option(fc.record({ add: someEdges, drop: someEdges }), { nil: undefined }),
    accesses: fc.array(fc.record({ checkpointId: someId, at: someTime }), { maxLength: 2 }),
    shields: fc.array(fc.record({ checkpointId: someId, until: someTime }), { maxLength: 2 }),
    erased: fc.array(someId, { maxLength: 3 }),
    forget: rarely(fc.record({ sessions: fc.constant(SESSIONS), unusedSince: someTime, at: someTime })),
    audit: fc.array(
      fc.record({
        at: someTime,
        action: fc.constantFrom(...AUDIT_ACTIONS.filter((action) => action !== "audit-cut")),
        sessionId: fc.option(someSession, { nil: undefined }),
        checkpointId: fc.option(someId, { nil: undefined }),
        agentId: someText,
        reason: someText,
      }),
      { maxLength: 3 },
    ),
  })
  .map((change): Step => ({ step: "commit", change: change as CatalogChange, hasBlob: true }));

export const someStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: someSave },
  { weight: 6, arbitrary: someMove },
  { weight: 5, arbitrary: someNotes },
  {
    weight: 3,
    arbitrary: fc.record({
      step: fc.constantFrom("replace" as const, "damage" as const),
      id: someId,
      base: fc.option(someId),
      isDone: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      step: fc.constant("reclaim" as const),
      ids: fc.option(fc.array(someId, { maxLength: 4 }), { nil: undefined }),
      forgets: fc.record({ sessions: fc.subarray([...SESSIONS]).map((ids) => new Set(ids)), at: someTime }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      step: fc.constant("hold" as const),
      holder: fc.constantFrom(...HOLDERS),
      until: fc.constantFrom(undefined, undefined, undefined, new Date(0), HOLDS_END),
    }),
  },
  { weight: 1, arbitrary: fc.record({ step: fc.constant("cut" as const), at: someTime, limit: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ step: fc.constantFrom("reconcile" as const, "reopen" as const) }) },
  { weight: 1, arbitrary: fc.record({ step: fc.constant("replace all" as const), at: someTime }) },
);

/** Takes a step on the store and on the rows in memory beside it. */
export async function take(twin: Twin, given: Step): Promise<void> {
  switch (given.step) {
    case "commit":
      await twin.change(commit(await withBlob(twin, given)));
      return;
    case "replace":
    case "damage":
      return changeBlob(twin, given);
    case "reclaim": {
      const refs = given.ids?.map((id) => twin.refOf(sessionOf(id), id));
      const remove: RemoveBlobs = (refs, toBeErased) => twin.removeBlobs(refs, toBeErased);
      const removing = reclaim({ refs, now: new Date(), limit: 1_000, remove });
      const rule = given.forgets === undefined ? removing : andForget(removing, given.forgets);
      await twin.change(rule, (removed) => removed.toSorted());
      return;
    }
    case "hold":
      await twin.change(given.until === undefined ? release(given.holder) : hold({ holder: given.holder, until: given.until }));
      return;
    case "cut":
      await twin.change(cut(given));
      return;
    case "reconcile":
      return reconcileBoth(twin);
    case "reopen":
      await reconcileBoth(twin);
      return twin.reopen();
    case "replace all":
      await reconcileBoth(twin);
      return twin.replaceAll(given.at);
  }
}

/** Adds missing edges. A store may do that by itself when it is opened or replaced: do it before. */
async function reconcileBoth(twin: Twin): Promise<void> {
  await twin.change(reconcile(), ({ sums, edges }) => [sums, edges.map(({ dependent, base }) => `${dependent} ${base}`).toSorted()]);
}

/** Removes the oldest rows of the audit log, and adds one about that. */
function cut({ at, limit }: Extract<Step, { step: "cut" }>): Rule<number> {
  const oldest = { of: "audit", query: { first: "oldest", limit } } as const;
  return {
    reads: { oldest },
    decide: (facts) => {
      const rows = (facts as Facts<{ readonly oldest: typeof oldest }>).oldest;
      const last = rows.at(-1);
      const reason = `through ${last?.number} ${last?.digest}`;
      const event = { at, action: "audit-cut", sessionId: undefined, checkpointId: undefined, agentId: undefined, reason } as const;
      return { outcome: rows.length, rows: [], audit: [event], auditThrough: last?.number };
    },
  };
}

/** Stores the blob that the append names, or leaves it out. */
async function withBlob(twin: Twin, { change, hasBlob }: Extract<Step, { step: "commit" }>): Promise<CatalogChange> {
  if (change.append === undefined) return change;
  const { id, sessionId } = change.append.record;
  if (hasBlob) await twin.putBlob(sessionId, id);
  return { ...change, append: { ...change.append, record: { ...change.append.record, blob: twin.refOf(sessionId, id) } } };
}

/** Replaces a blob or marks it as damaged. Unless `isDone`, the change must be refused: the record differs, or the bytes are right. */
async function changeBlob(twin: Twin, { step, id, base, isDone }: Extract<Step, { step: "replace" | "damage" }>): Promise<void> {
  const record = twin.tables.answer({ of: "checkpoint", id })?.record;
  if (record === undefined) return;
  if (step === "replace") {
    const expected = isDone ? record : { ...record, blobBytes: record.blobBytes + 1 };
    await twin.change(changeForm(expected, { blobBytes: id.length + 40, baseId: base, keyId: null }, () => twin.replaceBlob(record.blob)));
    return;
  }
  const audit = { at: record.createdAt, action: "quarantine", sessionId: record.sessionId, checkpointId: id, agentId: undefined } as const;
  await twin.change(markDamaged(record, audit, async () => isDone));
}
