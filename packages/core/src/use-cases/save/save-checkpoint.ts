import { decodeBlob, encodeBlob } from "../../envelope/envelope.ts";
import { invalidInput, isWorkrailError, WorkrailError } from "../../errors.ts";
import { classifyContext, type ClassifyPorts, summarise } from "../../classify/classify-context.ts";
import type { CompiledRules } from "../../model/context-rules.ts";
import { checkContext, type SavedContent, takeDown, takeDownText } from "../../json/saved-content.ts";
import { copyOf } from "../../json/check-json.ts";
import { parseJson } from "../../json/parse-json.ts";
import type { RecentJson } from "../../json/recent-json.ts";
import { type DroppedEntries, droppedEntries, type RecentKeys } from "./dropped-entries.ts";
import type { RecentHeads, SessionWithHead } from "./recent-heads.ts";
import { CHECKPOINT_KINDS, type CheckpointFacts, type CheckpointKind, type CheckpointRecord } from "../../model/checkpoint.ts";
import type { Context, JsonObject } from "../../model/context.ts";
import { type BlobRef, type CheckpointId, isGenerated, type SessionId } from "../../model/ids.ts";
import { otherProjectOf, otherProjectRefused, sessionNameAttribute, sessionProjectAttribute } from "../../model/product-attributes.ts";
import type { LayerSummary } from "../../model/classification.ts";
import { LABEL_LIMITS, type Limits } from "../../model/limits.ts";
import { isSameBytes } from "../../json/utf8.ts";
import type { Background, Clock, Digester, IdGenerator } from "../../ports/environment.ts";
import type { BlobKey, BlobStore } from "../../ports/blob-store.ts";
import { append, type AppendWithBlob, type CommitOutcome, type QuotaUsage } from "../../catalog/rules/append.ts";
import type { Codec } from "../../ports/codec.ts";
import type { Locking } from "../../ports/locking.ts";
import { applyPatch } from "../../patch/apply-patch.ts";
import type { Patch, PatchChanges } from "../../patch/patch.ts";
import { changedSince } from "./changed-since.ts";
import { type Base, findBase } from "./find-base.ts";
import { checkAttributes, checkName, checkPath, checkTags } from "../sessions/labels.ts";
import { isCorrupt, readContext, readFacts } from "../load/read-context.ts";
import { labelsOf, labelsText, type ScreenSecrets, type SecretsReport } from "./screen-secrets.ts";
import { findCheckpoint } from "../../catalog/queries/query-checkpoints.ts";
import { changeForm } from "../../catalog/rules/change-form.ts";
import { reclaimBlobs } from "../../catalog/rules/reclaim.ts";
import { headOf } from "../../catalog/reads.ts";
import { liveIn, type SessionRow } from "../../catalog/rows.ts";
import type { CatalogPort } from "../../catalog/catalog-port.ts";

export interface SavePorts extends ClassifyPorts {
  readonly catalog: CatalogPort;
  readonly blobs: BlobStore;
  readonly codec: Codec;
  readonly locking: Locking;
  readonly digests: Digester;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly background: Background;
  readonly limits: Limits;
  /** Product and version, stored in each envelope. */
  readonly writer: string;
  /** Keys of contexts that were saved before. Default: a save reads its parent to report the entries that it lacks. */
  readonly recentKeys?: RecentKeys | undefined;
  /** JSON of contexts that were saved before. Default: each context is written anew. */
  readonly recentJson?: RecentJson | undefined;
  /** Heads that were saved before. Default: each save reads its session first. */
  readonly recentHeads?: RecentHeads | undefined;
  /** Handling of secrets in saved data. Default: no search for secrets. */
  readonly secrets?: ScreenSecrets | undefined;
  /**
   * Called after a failed write of this many bytes, within the session's turn. Makes room if that is the problem, and returns
   * whether to write again. Default: no second attempt.
   */
  readonly relieve?: ((failure: unknown, blobBytes: number) => Promise<boolean>) | undefined;
}

export interface SaveInput {
  readonly sessionId: SessionId;
  /** The whole state. Exactly one of `context` and `patch` must be given. */
  readonly context?: Context | undefined;
  /** Changes since `parentId`; default: since the session's head. A patch never starts a session. */
  readonly patch?: Patch | undefined;
  readonly name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly attributes?: JsonObject | undefined;
  /** Attributes of the product, the same on every call; omitted when the caller's attributes leave no room. Never rejects. */
  readonly surroundings?: (() => Promise<JsonObject>) | undefined;
  /** Default `workflow`. The other kinds are never skipped as unchanged, and not counted; asides have a limit of their own. */
  readonly kind?: CheckpointKind | undefined;
  readonly agentId?: string | undefined;
  readonly workflowId?: string | undefined;
  readonly project?: string | undefined;
  /**
   * Returns the goal that a context states; a session with a generated id is named by it. Absent: sessions get no names. Not called for
   * other ids, nor for very large contexts, in which the search takes too long.
   */
  readonly nameSession?: ((context: Context) => string | undefined | Promise<string | undefined>) | undefined;
  /** Refuse to save to a session that belongs to another project. Default `false`. */
  readonly ownProjectOnly?: boolean | undefined;
  /** Checkpoint that this one continues, in any session; default: the session's head. */
  readonly parentId?: CheckpointId | null | undefined;
  /** Accept `parentId` unchecked: it may be elsewhere, or removed. Default `false`: it must exist. */
  readonly trustParent?: boolean | undefined;
  /** Save only if this is still the head; `null`: only if the session is new. */
  readonly expectedParentId?: CheckpointId | null | undefined;
  /** The caller's own id: saving the same bytes under it again is answered as unchanged. */
  readonly checkpointId?: CheckpointId | undefined;
  /** Time for the audit log, of a checkpoint that another store had first. Default: the time of its creation. */
  readonly auditAt?: Date | undefined;
  /** Classification rules of the workflow. Called once, in the session's turn. Its errors make the save fail. */
  readonly rules?: (() => Promise<CompiledRules | undefined>) | undefined;
  /** Earlier classification of the entries. Default: they are classified now. */
  readonly layers?: LayerSummary | undefined;
  /** Refuse a context without entries when the parent has some, unless `force` is given. Default `false`. */
  readonly refuseEmpty?: boolean | undefined;
  /** Save even when the head has the same content. Default `false`. */
  readonly force?: boolean | undefined;
  /** Checkpoint of the session whose side records the context holds. The kind is then `aside`, beyond the limit of asides. */
  readonly recordOf?: CheckpointId | undefined;
  /** Fails unless the checkpoint of `recordOf` is live. Default `false`: it may be saved later. */
  readonly mustHaveOwner?: boolean | undefined;
  /** Reads the parent, and reports the entries that this state lacks. Default `true`. */
  readonly reportsDropped?: boolean | undefined;
  /** Shields the new checkpoint until this time, from the beginning. Does not apply to an existing checkpoint. Default: no shield. */
  readonly shieldUntil?: Date | undefined;
}

export type SaveResult = SaveOutcome & {
  /** Possible secrets in the given data; absent when there are none. */
  readonly secrets?: SecretsReport;
  /** Entries of the parent that this state lacks; absent when it has all of them. */
  readonly dropped?: DroppedEntries | undefined;
  /** Effect of a patch; `base` is the checkpoint that it was applied to. */
  readonly patched?: PatchChanges & { readonly base: CheckpointId };
};

/** Input with a whole state. */
interface WholeInput extends SaveInput {
  readonly context: Context;
  /** The context, or its redacted form, as it is written. */
  readonly content: SavedContent;
  readonly patch?: undefined;
  /** Context with secrets removed, if they are to be; texts derived from the context use this. */
  readonly redacted?: Context | undefined;
  /** Base of the patch that made the context. */
  readonly base?: Base | undefined;
  /** The session before this save. */
  readonly seen?: SessionRow | undefined;
  /** Cached session and head, when this save did not read them. */
  readonly recent?: SessionWithHead | undefined;
  /** Generates the id unless the caller has given one. Every draft of a save has the same id. */
  readonly newId: () => CheckpointId;
  /** Head that the patch was applied to. If another process moved the head, the save fails and can be repeated. */
  readonly follows?: CheckpointId | undefined;
}

type SaveOutcome =
  | {
      readonly status: "saved";
      readonly record: CheckpointRecord;
      /** Checkpoints removed because of the session's limit of checkpoints or asides. */
      readonly removed: readonly CheckpointRecord[];
      /** Bytes that session and store hold now. */
      readonly bytes: QuotaUsage;
    }
  | {
      readonly status: "unchanged";
      /** Existing checkpoint with this content. */
      readonly record: CheckpointRecord;
      /** Given data that the existing checkpoint lacks, and that was therefore not saved. */
      readonly ignored: readonly IgnoredOnSkip[];
    };

/** Fields that are not saved when the content already exists. */
type IgnoredOnSkip = "checkpointId" | "parentId" | "workflowId" | "agentId" | "name" | "tags" | "metadata" | "keyOrder";

/** Attempts for a commit that loses its blob to garbage collection. Twice is already improbable. */
const MAX_ATTEMPTS = 3;

/**
 * Saves a context as the session's new head.
 *
 * The blob is durable under its final name before one catalog transaction makes it a checkpoint. Therefore no reader and no crash
 * ever meets a record without its bytes. Saves to one session keep the order of their calls.
 *
 * A patch is applied to its base in that order, and again when another process moved the head meanwhile: patches of different
 * keys all survive. Its result is saved as if it had been given.
 *
 * @throws INVALID_INPUT, TOO_LARGE, STORAGE_QUOTA_EXCEEDED, SECRET_FOUND for the saved data; CHECKPOINT_NOT_FOUND for an unknown
 * `parentId`; SESSION_NOT_FOUND for a patch without a base; CONFLICT when the head is not `expectedParentId`, or `checkpointId`
 * is taken; LOCK_TIMEOUT and STORAGE_UNAVAILABLE for the store. After any error the previous head stays loadable.
 */
export async function saveCheckpoint(ports: SavePorts, given: SaveInput): Promise<SaveResult> {
  checkLabels(given);
  const { patch, context } = given;
  if (patch !== undefined) return ports.locking.inOrder(given.sessionId, () => savePatched(ports, given, patch));
  // Captures the context before the caller can change it.
  const checked = checkContext(context, ports.limits);
  const takenDown = takeDown(checked, ports, given.sessionId);
  const input = { ...given, patch: undefined, context: { ...checked.context } };
  return ports.locking.inOrder(given.sessionId, async () => saveContent(ports, { ...input, content: await takenDown() }));
}

async function saveContent(ports: SavePorts, whole: Omit<WholeInput, "newId">): Promise<SaveResult> {
  const given = { ...whole, newId: once(() => ports.ids.checkpointId()), rules: whole.rules && once(whole.rules) };
  // A large context is compressed in another thread during the search for secrets. Nothing is written before the search ends.
  const [begun, search] = await Promise.allSettled([draft(ports, given), screened(ports, given)]);
  const { redacted, ...secrets } = outcomeOf(search);
  for (let drafted = redacted === undefined ? outcomeOf(begun) : await draft(ports, redacted); ;) {
    const { input, known, encoded } = drafted;
    const outcome = known ?? (await writeOrName(ports, input, encoded));
    if (outcome !== undefined) {
      const dropped = outcome.status === "saved" ? encoded?.dropped : undefined;
      if (outcome.status === "saved") ports.recentKeys?.add(outcome.record.exactDigest, input.redacted ?? input.context);
      return { ...outcome, ...secrets, ...(dropped === undefined ? {} : { dropped }) };
    }
    // The cached head or pins are outdated.
    ports.recentHeads?.forget(input.sessionId);
    drafted = await draft(ports, redacted ?? given);
  }
}

/** Returns a function that calls `work` at its first call, and then returns that result. */
function once<T>(work: () => T): () => T {
  let result: { readonly value: T } | undefined;
  return () => (result ??= { value: work() }).value;
}

/** Most attempts against other processes that keep saving. */
const MAX_REBASES = 50;

async function savePatched(ports: SavePorts, given: SaveInput, patch: Patch): Promise<SaveResult> {
  for (let attempt = 1; ; attempt++) {
    const base = await findBase(ports, given);
    const { context, changes } = applyPatch(base.context, patch);
    const takenDown = takeDown(checkContext(context, ports.limits), ports, given.sessionId);
    const follows = given.parentId === undefined && given.expectedParentId === undefined ? base.record.id : undefined;
    const input = { ...given, patch: undefined, context, base, follows, parentId: base.record.id, refuseEmpty: false };
    try {
      return { ...(await saveContent(ports, { ...input, content: await takenDown() })), patched: { base: base.record.id, ...changes } };
    } catch (error) {
      if (!(error instanceof HeadMoved)) throw error;
      if (attempt === MAX_REBASES) throw error.conflict;
    }
  }
}

/** Another process saved between reading a patch's base and the commit. Never leaves this file. */
class HeadMoved extends Error {
  readonly conflict: WorkrailError;

  constructor(conflict: WorkrailError) {
    super(conflict.message);
    this.conflict = conflict;
  }
}

/** Data to write, or the answer when there is nothing to write. */
type Draft =
  | { readonly input: WholeInput; readonly known: SaveOutcome; readonly encoded?: undefined }
  | { readonly input: WholeInput; readonly known?: undefined; readonly encoded: Encoded };

async function draft(ports: SavePorts, input: WholeInput): Promise<Draft> {
  const { sessionId, checkpointId, parentId } = input;
  const recent = recentOf(ports, input);
  // Only a head that was read may refuse a save.
  if (recent !== undefined && (await ownerOtherThan(input, recent.head)) === undefined)
    return draftAfter(ports, { ...input, recent }, { ...recent, own: undefined, parent: recent.head });
  const found = await ports.catalog.read({
    head: headOf(sessionId),
    session: { of: "session", id: sessionId },
    ...(checkpointId === undefined ? {} : { own: { of: "checkpoint", id: checkpointId } }),
    ...(parentId === undefined || parentId === null ? {} : { parent: { of: "checkpoint", id: parentId } }),
  });
  const { session } = found;
  const head = found.head[0]?.record;
  ports.recentHeads?.read(sessionId, head, session);
  const owner = await ownerOtherThan(input, head);
  if (owner !== undefined) throw otherProjectRefused(sessionId, owner, input.project);
  return draftAfter(ports, input, { head, session, own: liveIn(found.own), parent: liveIn(found.parent) });
}

/** Returns the other project that a session belongs to, if the save is for sessions of its own project only. */
async function ownerOtherThan(input: WholeInput, head: CheckpointRecord | undefined): Promise<ReturnType<typeof otherProjectOf>> {
  return input.ownProjectOnly === true ? otherProjectOf(head, input.project, (await input.surroundings?.()) ?? {}) : undefined;
}

/**
 * Returns the cached session and head, if the save needs nothing else of the catalog: it continues the head, and its blob is put by the
 * change, which also notices an id that is taken.
 */
function recentOf(ports: SavePorts, input: WholeInput): SessionWithHead | undefined {
  const recent = ports.recentHeads?.of(input.sessionId);
  if (recent === undefined || ports.blobs.sharesTransaction !== true || input.content.sizeBytes > TOGETHER_BYTES) return undefined;
  const { id, canonicalDigest } = recent.head;
  const continues = [input.parentId, input.expectedParentId, input.follows].every((each) => each === undefined || each === id);
  // Saves that may be answered or refused without writing need the present state.
  const mayEnd = canonicalDigest === skipDigest(input) || Object.keys(input.context).length === 0;
  return continues && !mayEnd ? recent : undefined;
}

interface Found {
  readonly head: CheckpointRecord | undefined;
  readonly session: SessionRow | undefined;
  /** Checkpoint with the caller's id. */
  readonly own: CheckpointRecord | undefined;
  readonly parent: CheckpointRecord | undefined;
}

async function draftAfter(ports: SavePorts, input: WholeInput, { head, session, own, parent: found }: Found): Promise<Draft> {
  const { parentId } = input;
  const rules = await input.rules?.();
  const known = await answerWithoutWriting(ports, input, { head, own });
  if (known !== undefined) return { input, known };
  const options = { pins: session?.pins ?? [], rules };
  const layers = input.layers ?? summarise(await classifyContext(ports, input.context, options));
  const parent = parentOf(input, head, found);
  const dropped = input.reportsDropped === false ? undefined : await droppedEntries(ports, { ...input, parent, options });
  const continues = parentId === undefined ? head?.id : (parentId ?? undefined);
  const facts = await describe(ports, { ...input, layers, parentId: continues, begunAt: session?.createdAt }, head);
  const bytes = await encodeBlob(ports, facts, input.content);
  checkSize(bytes.length, ports.limits);
  // The head has the same content, but its bytes are unreadable.
  const isAnew = head !== undefined && head.canonicalDigest === skipDigest(input);
  return { input: { ...input, force: isAnew || input.force, seen: session }, encoded: { facts, bytes, dropped } };
}

function outcomeOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === "rejected") throw settled.reason;
  return settled.value;
}

/** Searches for secrets; returns the report and, if requested, the redacted data to save instead. */
async function screened(ports: SavePorts, input: WholeInput): Promise<Pick<SaveResult, "secrets"> & { readonly redacted?: WholeInput }> {
  if (ports.secrets === undefined) return {};
  const given = { context: () => input.content.texts(), labels: labelsText(input) };
  const { report: secrets, redacted } = await ports.secrets(given);
  if (secrets === undefined || redacted === undefined) return secrets === undefined ? {} : { secrets };
  const changed = { ...input, ...labelsOf(redacted.labels), redacted: parseJson(redacted.context) as Context };
  checkLabels(changed);
  return { secrets, redacted: { ...changed, content: await takeDownText(redacted.context, ports) } };
}

/** Writes a checkpoint and adds its id to retryable errors: a failed write may have left a blob, which a retry recognises by this id. */
async function writeOrName(ports: SavePorts, input: WholeInput, encoded: Encoded): Promise<SaveOutcome | undefined> {
  try {
    return await write(ports, input, encoded).catch(async (error: unknown) => {
      if ((await ports.relieve?.(error, encoded.bytes.length)) !== true) throw error;
      return write(ports, input, encoded);
    });
  } catch (error) {
    if (!isWorkrailError(error) || !error.retryable || "checkpointId" in error.details) throw error;
    const { code, message, hint, details } = error;
    const named = { ...details, checkpointId: encoded.facts.id };
    throw new WorkrailError(code, message, { details: named, cause: error, ...(hint === undefined ? {} : { hint }) });
  }
}

function checkLabels(input: SaveInput): void {
  checkName(input.name, "name");
  checkName(input.agentId, "agentId");
  checkName(input.workflowId, "workflowId");
  checkPath(input.project, "project");
  checkTags(input.tags ?? []);
  checkAttributes(input.attributes ?? {});
  if (input.kind !== undefined && !CHECKPOINT_KINDS.includes(input.kind)) {
    throw invalidInput("kind", `kind must be one of ${CHECKPOINT_KINDS.join(", ")}.`);
  }
}

/** Answers without writing, if possible. The transaction decides again; this only saves work. */
async function answerWithoutWriting(
  ports: SavePorts,
  input: WholeInput,
  { head, own }: { readonly head: CheckpointRecord | undefined; readonly own: CheckpointRecord | undefined },
): Promise<SaveOutcome | undefined> {
  if (own !== undefined) return sameOrConflict(ports, input, own);
  if (input.expectedParentId !== undefined && (head?.id ?? null) !== input.expectedParentId) {
    return lostAnswerOrConflict(ports, input, head);
  }
  if (input.follows !== undefined && head?.id !== input.follows) throw new HeadMoved(await conflict(ports, input, head));
  if (head === undefined || head.canonicalDigest !== skipDigest(input)) return undefined;
  return (await isReadable(ports, head)) ? unchanged(input, head) : undefined;
}

/**
 * True when an existing checkpoint can be loaded. Its file may have been damaged since, and the caller relies on the bytes.
 * Reading them takes less time than writing.
 */
async function isReadable(ports: SavePorts, record: CheckpointRecord): Promise<boolean> {
  try {
    await readContext(ports, record);
    return true;
  } catch (error) {
    if (isCorrupt(error)) return false;
    throw error;
  }
}

/** Returns the parent's record; `undefined` without a parent, and when a trusted one is missing or elsewhere. */
function parentOf(
  input: WholeInput,
  head: CheckpointRecord | undefined,
  found: CheckpointRecord | undefined,
): CheckpointRecord | undefined {
  const { parentId } = input;
  if (parentId === undefined) return head;
  if (parentId === null) return undefined;
  const parent = input.base?.record ?? found;
  if (parent !== undefined || input.trustParent === true) return parent;
  throw new WorkrailError("CHECKPOINT_NOT_FOUND", `parentId ${parentId} names no checkpoint.`, {
    details: { checkpointId: parentId, field: "parentId" },
    hint: "`workrail list` lists the existing checkpoints; without parentId the session's latest one is continued.",
  });
}

async function describe(
  ports: SavePorts,
  input: WholeInput & { readonly begunAt: Date | undefined },
  head: CheckpointRecord | undefined,
): Promise<CheckpointFacts> {
  const { exactDigest, canonicalDigest, sizeBytes: contextBytes } = input.content;
  const createdAt = ports.clock.now();
  // Most important first: there may not be room for all of them.
  const ofOurs = [sessionProjectAttribute(head, input.project), (await input.surroundings?.()) ?? {}, await sessionName(input, createdAt)];
  return {
    id: input.checkpointId ?? input.newId(),
    sessionId: input.sessionId,
    parentId: input.parentId ?? null,
    kind: input.kind ?? "workflow",
    createdAt,
    agentId: input.agentId,
    workflowId: input.workflowId,
    project: input.project,
    name: input.name,
    tags: [...new Set(input.tags)],
    attributes: ofOurs.reduce(withOurs, copyOf(input.attributes ?? {}) as JsonObject),
    exactDigest,
    canonicalDigest,
    contextBytes,
    layers: input.layers,
    writer: ports.writer,
  };
}

async function sessionName(
  { nameSession, sessionId, project, redacted, context, begunAt }: WholeInput & { readonly begunAt: Date | undefined },
  createdAt: Date,
): Promise<JsonObject> {
  if (nameSession === undefined || !isGenerated(sessionId)) return {};
  const saved = redacted ?? context;
  const goal = Object.keys(saved).length > MOST_KEYS ? undefined : await nameSession(saved);
  return sessionNameAttribute({ project, goal, begunAt: begunAt ?? createdAt });
}

/** Larger contexts are not searched for a goal. */
const MOST_KEYS = 1_000;

/** Adds product attributes only if they fit; the caller's always stay. */
function withOurs(attributes: JsonObject, ours: JsonObject): JsonObject {
  const all = { ...attributes, ...ours };
  return JSON.stringify(all).length > LABEL_LIMITS.attributesLength ? attributes : all;
}

/** Checkpoint to write, with its blob. */
interface Encoded {
  readonly facts: CheckpointFacts;
  readonly bytes: Uint8Array;
  readonly dropped: DroppedEntries | undefined;
}

/** Most bytes of a blob that is put within the change of the catalog, where other changes wait. */
const TOGETHER_BYTES = 1024 * 1024;

/** @returns `undefined` when the session has to be read first. */
async function write(ports: SavePorts, input: WholeInput, encoded: Encoded): Promise<SaveOutcome | undefined> {
  const { facts, bytes } = encoded;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const together = attempt === 1 ? putLater(ports, encoded) : undefined;
    // A blob that is put by itself may take the place of another checkpoint's: that is only known after reading.
    if (together === undefined && input.recent !== undefined) return undefined;
    const stored = together ?? (await putBlob(ports, input, encoded));
    const outcome = await ports.catalog.change(append(termsOf(ports, input, stored)));
    if (outcome.status === "blob-missing") continue;
    if (outcome.status === "moved") return undefined;
    if (outcome.status !== "committed") {
      reclaimLater(ports, [stored.blob]);
      return answerTo(ports, input, { ...stored, ...outcome });
    }
    const { record, removed, bytes: usage } = outcome;
    if (record === undefined || usage === undefined) {
      throw new WorkrailError("INTERNAL", "The catalog committed a save without a record.");
    }
    if (stored.put === undefined && input.checkpointId !== undefined) {
      await putBackIfReplaced(ports, { ...input, ...stored, bytes }, record);
    }
    if (record.kind !== "aside") ports.recentHeads?.saved(record, removed.length);
    const needless = removed.map((each) => each.blob);
    if (needless.length > 0) reclaimLater(ports, needless);
    return { status: "saved", record, removed, bytes: usage };
  }
  throw new WorkrailError("STORAGE_UNAVAILABLE", "The checkpoint's file disappeared after each write.", {
    details: { checkpointId: facts.id, reason: "blob-missing" },
    hint: "Another program may remove files from the data directory. Save again.",
  });
}

function keyOf({ sessionId, id: checkpointId }: CheckpointFacts): BlobKey {
  return { sessionId, checkpointId };
}

/** Returns the blob, to be put by the change; `undefined` when it has to be put before. */
function putLater({ blobs }: SavePorts, { facts, bytes }: Encoded): StoredBlob | undefined {
  if (blobs.sharesTransaction !== true || bytes.length > TOGETHER_BYTES) return undefined;
  const key = keyOf(facts);
  const put = async (): Promise<boolean> => (await blobs.put(key, bytes, { ifAbsent: true })) !== undefined;
  return { blob: blobs.refOf(key), blobBytes: bytes.length, facts, put };
}

function termsOf(ports: SavePorts, input: WholeInput, { facts, blob, blobBytes, put }: StoredBlob): AppendWithBlob {
  const { id: checkpointId, sessionId, createdAt, agentId } = facts;
  return {
    record: { ...facts, blob, blobBytes, baseId: null, keyId: null },
    put,
    unlessHeadIs: skipDigest(input),
    // `null` expects a session without checkpoints.
    expectedHead: input.expectedParentId === undefined ? input.follows : input.expectedParentId,
    preparedFor: input.recent && { head: input.recent.head, pins: input.recent.session.pins },
    keepNewest: facts.kind === "workflow" ? ports.limits.maxCheckpoints : undefined,
    seen: input.seen,
    owner: input.mustHaveOwner === true ? input.recordOf : undefined,
    asides:
      facts.kind === "aside" && input.recordOf === undefined
        ? { count: ports.limits.maxAsides, bytes: ports.limits.maxAsideBytes }
        : undefined,
    quota: { session: ports.limits.maxSessionBytes, store: ports.limits.maxTotalBytes },
    shieldedUntil: input.shieldUntil,
    audit: [{ at: input.auditAt ?? createdAt, action: "save", sessionId, checkpointId, agentId }],
  };
}

/** Blob in the store, with the facts that the record must have. */
interface StoredBlob {
  readonly blob: BlobRef;
  readonly blobBytes: number;
  readonly facts: CheckpointFacts;
  /** Puts the blob. Absent when it was put. */
  readonly put?: AppendWithBlob["put"];
}

/** Blob that existed before. A delta depends on another checkpoint and cannot serve as a new one. */
interface FoundBlob extends StoredBlob {
  readonly isWhole: boolean;
}

/** Writes the blob. A generated id is always new; a caller's id may already have a blob, left by a crash or by another writer. */
async function putBlob(ports: SavePorts, input: WholeInput, { facts, bytes }: Encoded): Promise<StoredBlob> {
  const key = keyOf(facts);
  const ifAbsent = input.checkpointId !== undefined;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const blob = await ports.blobs.put(key, bytes, { ifAbsent });
    if (blob !== undefined) return { blob, blobBytes: bytes.length, facts };
    const present = await readStored(ports, ports.blobs.refOf(key), facts);
    if (present?.isWhole === true && isSameButForTime(present.facts, facts)) return present;
    // Garbage of an unacknowledged save, unless a record needs it: then it stays, and the commit reports it.
    const garbage = ports.blobs.refOf(key);
    const reclaimed = await reclaimBlobs(ports.catalog, [garbage], async (refs, toBeErased) => {
      if (toBeErased.has(garbage)) await ports.blobs.erase(refs);
      // Unreadable data is quarantined, never deleted.
      else await (present === undefined ? ports.blobs.quarantine(garbage) : ports.blobs.remove(refs));
    });
    if (reclaimed.length > 0) continue;
    if (present?.facts.exactDigest === facts.exactDigest) return present;
    break;
  }
  throw idTaken(facts.id);
}

/**
 * Restores a replaced blob. Another process that chose the same id may have taken the blob for garbage while no record needed it,
 * and put another one in its place just before the commit. After the commit this cannot happen. The blob of the record is restored, unless
 * the checkpoint was removed since.
 */
async function putBackIfReplaced(
  ports: SavePorts,
  { facts, blob, bytes: put, content }: StoredBlob & { readonly bytes: Uint8Array; readonly content: SavedContent },
  record: CheckpointRecord,
): Promise<void> {
  if (isSameBytes(await ports.blobs.get(blob), put)) return;
  const present = await readStored(ports, blob, facts);
  if (present?.facts.exactDigest === facts.exactDigest) return;
  await writeAgain(ports, record, { facts, content });
}

interface Again {
  readonly facts: CheckpointFacts;
  readonly content: SavedContent;
  /** Called in the change, before the blob is replaced. */
  readonly before?: (() => Promise<unknown>) | undefined;
}

/** Writes the whole blob of an existing checkpoint again. */
async function writeAgain(ports: SavePorts, record: CheckpointRecord, { facts, content, before }: Again): Promise<void> {
  const bytes = await encodeBlob(ports, facts, content);
  const write = async (): Promise<void> => {
    await before?.();
    await ports.blobs.replace(record.blob, bytes);
  };
  await ports.catalog.change(changeForm(record, { blobBytes: bytes.length, baseId: null, keyId: null }, write));
}

/**
 * Reads an existing blob; `undefined` when it is missing or unreadable. A delta is assumed to have the canonical digest of the
 * new facts.
 */
async function readStored(
  ports: SavePorts,
  blob: BlobRef,
  { sessionId, canonicalDigest }: CheckpointFacts,
): Promise<FoundBlob | undefined> {
  const bytes = await ports.blobs.get(blob);
  if (bytes === undefined) return undefined;
  try {
    const stored = await decodeBlob(ports, bytes);
    const facts = await readFacts(ports, sessionId, stored);
    const complete = { ...facts, canonicalDigest: facts.canonicalDigest ?? canonicalDigest };
    return { blob, blobBytes: bytes.length, facts: complete, isWhole: stored.kind === "whole" };
  } catch (error) {
    if (isCorrupt(error)) return undefined;
    throw error;
  }
}

/** True for an earlier attempt of the same save. Its blob can be reused, because a rebuild would read the same facts from it. */
function isSameButForTime(left: CheckpointFacts, right: CheckpointFacts): boolean {
  return sameJson({ ...left, createdAt: undefined }, { ...right, createdAt: undefined });
}

/** Outcome of a commit that made no checkpoint, with the blob that was meant for it. */
type NotCommitted = StoredBlob & Exclude<CommitOutcome, { status: "blob-missing" | "committed" | "moved" }>;

async function answerTo(ports: SavePorts, input: WholeInput, outcome: NotCommitted): Promise<SaveOutcome> {
  switch (outcome.status) {
    case "unchanged":
      return unchanged(input, outcome.head);
    case "conflict":
      if (input.follows !== undefined) throw new HeadMoved(await conflict(ports, input, outcome.head));
      return lostAnswerOrConflict(ports, input, outcome.head);
    case "exists":
      return sameOrConflict(ports, input, outcome.record);
    case "in-trash":
      throw inTrash(outcome.record.id);
    case "owner-missing":
      throw ownerMissing(input.recordOf);
    case "asides-full":
      throw asidesFull(outcome.blobBytes, ports.limits);
    case "over-quota":
      throw overQuota(outcome, ports.limits);
  }
}

/** Queues the reclaiming of blobs. `reclaim` checks again under the store's write lock, so that late or repeated calls are harmless. */
function reclaimLater(ports: SavePorts, refs: readonly BlobRef[]): void {
  // Holds the lock, because a rebuild must not find a blob that vanishes before its record is written.
  ports.background.run("reclaim blobs", async () => {
    await ports.locking.shared(() => reclaimBlobs(ports.catalog, refs, (needless) => ports.blobs.remove(needless)));
  });
}

/**
 * Checks the size of a blob.
 *
 * @throws STORAGE_QUOTA_EXCEEDED when it exceeds the limit of a checkpoint.
 */
export function checkSize(blobBytes: number, limits: Limits): void {
  if (blobBytes <= limits.maxCheckpointBytes) return;
  throw quotaExceeded(
    `The checkpoint has ${blobBytes} bytes compressed; the limit is ${limits.maxCheckpointBytes}.`,
    { limit: "maxCheckpointBytes", maxCheckpointBytes: limits.maxCheckpointBytes, sizeBytes: blobBytes },
    "Leave large values out of the context, and save their paths.",
  );
}

/** Returns the digest with which a save is skipped; `undefined` when the save always creates a checkpoint. */
function skipDigest(input: WholeInput): SavedContent["canonicalDigest"] | undefined {
  const alwaysCreates = input.force === true || (input.kind !== undefined && input.kind !== "workflow");
  return alwaysCreates ? undefined : input.content.canonicalDigest;
}

function unchanged(input: WholeInput, record: CheckpointRecord): SaveOutcome {
  const ignored: IgnoredOnSkip[] = [];
  if (input.checkpointId !== undefined && input.checkpointId !== record.id) ignored.push("checkpointId");
  // Continuing the checkpoint that already has the content loses nothing.
  if (input.parentId !== undefined && input.parentId !== record.parentId && input.parentId !== record.id) ignored.push("parentId");
  const texts = ["workflowId", "agentId", "name"] as const;
  ignored.push(...texts.filter((field) => input[field] !== undefined && input[field] !== record[field]));
  if (input.tags !== undefined && !input.tags.every((tag) => record.tags.includes(tag))) ignored.push("tags");
  if (Object.entries(input.attributes ?? {}).some(([key, value]) => !sameJson(record.attributes[key], value))) ignored.push("metadata");
  if (record.exactDigest !== input.content.exactDigest) ignored.push("keyOrder");
  return { status: "unchanged", record, ignored };
}

function sameJson(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** Detects a repeated save whose answer was lost: the head has the same parent and exactly the same bytes. */
async function lostAnswerOrConflict(ports: SavePorts, input: WholeInput, head: CheckpointRecord | undefined): Promise<SaveOutcome> {
  const parentId = input.parentId === undefined ? input.expectedParentId : input.parentId;
  if (head !== undefined && head.parentId === parentId && head.exactDigest === input.content.exactDigest) {
    return unchanged(input, await madeWhole(ports, input, head));
  }
  throw await conflict(ports, input, head);
}

async function conflict(ports: SavePorts, input: WholeInput, head: CheckpointRecord | undefined): Promise<WorkrailError> {
  const { sessionId, expectedParentId, base } = input;
  const changed = await changedSince(ports, base?.record.id === expectedParentId ? base : expectedParentId, head);
  const told = changed === undefined ? "" : ` Changed since: ${changed.told}.`;
  return new WorkrailError("CONFLICT", `The session's latest checkpoint is not the expected one: another client saved meanwhile.${told}`, {
    details: { sessionId, expectedParentId, actualParentId: head?.id ?? null, ...changed?.details },
    hint:
      base === undefined
        ? "Load the latest checkpoint, merge your changes into it, and save with its id as expectedParentId."
        : "See what changed, then send the patch again with the latest checkpoint's id as expectedParentId.",
  });
}

async function sameOrConflict(ports: SavePorts, input: WholeInput, existing: CheckpointRecord): Promise<SaveOutcome> {
  if (existing.sessionId === input.sessionId && existing.exactDigest === input.content.exactDigest) {
    return unchanged(input, await madeWhole(ports, input, existing));
  }
  throw idTaken(existing.id);
}

/** Repairs a damaged checkpoint whose context is saved again. Remains of its file are quarantined. */
async function madeWhole(ports: SavePorts, { content }: WholeInput, record: CheckpointRecord): Promise<CheckpointRecord> {
  if (!record.damaged && (await isReadable(ports, record))) return record;
  await writeAgain(ports, record, { facts: record, content, before: () => ports.blobs.quarantine(record.blob) });
  // Another process may have been faster. A checkpoint removed meanwhile is like one removed after the answer.
  return (await findCheckpoint(ports.catalog, record.id)) ?? record;
}

function inTrash(checkpointId: CheckpointId): WorkrailError {
  const hint = "Restore that checkpoint, empty the trash, or choose another checkpointId.";
  return taken(checkpointId, "names a checkpoint that is in the trash", hint);
}

function overQuota({ over, bytes, blobBytes: sizeBytes }: NotCommitted & { status: "over-quota" }, limits: Limits): WorkrailError {
  const [limit, name] = over === "session" ? (["maxSessionBytes", "session"] as const) : (["maxTotalBytes", "store"] as const);
  return quotaExceeded(
    `The ${name} has ${bytes[over]} of at most ${limits[limit]} bytes; the checkpoint needs ${sizeBytes}.`,
    { limit, [limit]: limits[limit], usageBytes: bytes[over], sizeBytes },
    over === "session"
      ? "Save to a new session, or remove old checkpoints of this one with `workrail cleanup --session`."
      : "Empty the trash (`workrail trash empty`), remove old checkpoints (`workrail cleanup`), or raise the limit.",
  );
}

function ownerMissing(checkpointId: CheckpointId | undefined): WorkrailError {
  return new WorkrailError("CHECKPOINT_NOT_FOUND", `There is no checkpoint ${checkpointId} any more.`, { details: { checkpointId } });
}

function asidesFull(sizeBytes: number, { maxAsides, maxAsideBytes }: Limits): WorkrailError {
  return quotaExceeded(
    `The session has reached its limit of asides (${maxAsides}, or ${maxAsideBytes} bytes in all), and valid handles protect them.`,
    { limit: "maxAsides", maxAsides, maxAsideBytes, sizeBytes },
    "Save a checkpoint, use another session, wait until handles expire, or raise the limit.",
  );
}

function quotaExceeded(message: string, details: WorkrailError["details"], hint: string): WorkrailError {
  return new WorkrailError("STORAGE_QUOTA_EXCEEDED", message, { details, hint });
}

function idTaken(checkpointId: CheckpointId): WorkrailError {
  const hint = "Choose another checkpointId, or leave it out to get a new one.";
  return taken(checkpointId, "already names a checkpoint with other content", hint);
}

function taken(checkpointId: CheckpointId, fault: string, hint: string): WorkrailError {
  return new WorkrailError("CONFLICT", `checkpointId ${checkpointId} ${fault}.`, { details: { checkpointId }, hint });
}
