import { encodeBlob } from "../../envelope/envelope.ts";
import { invalidInput, isWorkrailError, WorkrailError } from "../../errors.ts";
import { classifyContext, summarise } from "../../classify/classify-context.ts";
import { checkContext, type SavedContent, captureContext, captureText } from "../../json/saved-content.ts";
import { copyOf } from "../../json/check-json.ts";
import { parseJson } from "../../json/parse-json.ts";
import { type DroppedEntries, droppedEntries } from "./dropped-entries.ts";
import type { SessionWithHead } from "./recent-heads.ts";
import { CHECKPOINT_KINDS, type CheckpointFacts, type CheckpointRecord } from "../../model/checkpoint.ts";
import type { Context, JsonObject } from "../../model/context.ts";
import { type BlobRef, isGenerated } from "../../model/ids.ts";
import { otherProjectOf, otherProjectRefused, sessionNameAttribute, sessionProjectAttribute } from "../../model/product-attributes.ts";
import { LABEL_LIMITS, type Limits } from "../../model/limits.ts";
import type { BlobKey } from "../../ports/blob-store.ts";
import { append, type AppendWithBlob } from "../../catalog/rules/append.ts";
import { applyPatch } from "../../patch/apply-patch.ts";
import type { Patch } from "../../patch/patch.ts";
import { findBase } from "./find-base.ts";
import { checkAttributes, checkName, checkPath, checkTags } from "../sessions/labels.ts";
import { labelsOf, labelsText } from "./screen-secrets.ts";
import { reclaimBlobs } from "../../catalog/rules/reclaim.ts";
import { headOf } from "../../catalog/reads.ts";
import { liveIn, type SessionRow } from "../../catalog/rows.ts";
import type { SaveInput, SaveOutcome, SavePorts, SaveResult, WholeInput } from "./save-input.ts";
import {
  answerOutcome,
  conflict,
  HeadMoved,
  idTaken,
  isReadable,
  isSameButForTime,
  lostAnswerOrConflict,
  putBackIfReplaced,
  quotaExceeded,
  readStored,
  sameOrConflict,
  type StoredBlob,
  answerUnchanged,
} from "./existing-checkpoint.ts";

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
  const captured = captureContext(checked, ports, given.sessionId);
  const input = { ...given, patch: undefined, context: { ...checked.context } };
  return ports.locking.inOrder(given.sessionId, async () => saveContent(ports, { ...input, content: await captured() }));
}

async function saveContent(ports: SavePorts, whole: Omit<WholeInput, "newId">): Promise<SaveResult> {
  const given = { ...whole, newId: once(() => ports.ids.checkpointId()), rules: whole.rules && once(whole.rules) };
  // A large context is compressed in another thread during the search for secrets. Nothing is written before the search ends.
  const [begun, search] = await Promise.allSettled([draft(ports, given), screen(ports, given)]);
  const { redacted, ...secrets } = outcomeOf(search);
  for (let drafted = redacted === undefined ? outcomeOf(begun) : await draft(ports, redacted); ;) {
    const { input, known, encoded } = drafted;
    const outcome = known ?? (await writeNamingId(ports, input, encoded));
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
    const captured = captureContext(checkContext(context, ports.limits), ports, given.sessionId);
    const follows = given.parentId === undefined && given.expectedParentId === undefined ? base.record.id : undefined;
    const input = { ...given, patch: undefined, context, base, follows, parentId: base.record.id, refuseEmpty: false };
    try {
      return { ...(await saveContent(ports, { ...input, content: await captured() })), patched: { base: base.record.id, ...changes } };
    } catch (error) {
      if (!(error instanceof HeadMoved)) throw error;
      if (attempt === MAX_REBASES) throw error.conflict;
    }
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
  const facts = await factsOf(ports, { ...input, layers, parentId: continues, begunAt: session?.createdAt }, head);
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
async function screen(ports: SavePorts, input: WholeInput): Promise<Pick<SaveResult, "secrets"> & { readonly redacted?: WholeInput }> {
  if (ports.secrets === undefined) return {};
  const given = { context: () => input.content.texts(), labels: labelsText(input) };
  const { report: secrets, redacted } = await ports.secrets(given);
  if (secrets === undefined || redacted === undefined) return secrets === undefined ? {} : { secrets };
  const changed = { ...input, ...labelsOf(redacted.labels), redacted: parseJson(redacted.context) as Context };
  checkLabels(changed);
  return { secrets, redacted: { ...changed, content: await captureText(redacted.context, ports) } };
}

/** Writes a checkpoint and adds its id to retryable errors: a failed write may have left a blob, which a retry recognises by this id. */
async function writeNamingId(ports: SavePorts, input: WholeInput, encoded: Encoded): Promise<SaveOutcome | undefined> {
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
  return (await isReadable(ports, head)) ? answerUnchanged(input, head) : undefined;
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

async function factsOf(
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
    attributes: ofOurs.reduce(withProductAttributes, copyOf(input.attributes ?? {}) as JsonObject),
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
function withProductAttributes(attributes: JsonObject, ours: JsonObject): JsonObject {
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
    const together = attempt === 1 ? deferredPut(ports, encoded) : undefined;
    // A blob that is put by itself may take the place of another checkpoint's: that is only known after reading.
    if (together === undefined && input.recent !== undefined) return undefined;
    const stored = together ?? (await putBlob(ports, input, encoded));
    const outcome = await ports.catalog.change(append(appendInput(ports, input, stored)));
    if (outcome.status === "blob-missing") continue;
    if (outcome.status === "moved") return undefined;
    if (outcome.status !== "committed") {
      reclaimLater(ports, [stored.blob]);
      return answerOutcome(ports, input, { ...stored, ...outcome });
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
function deferredPut({ blobs }: SavePorts, { facts, bytes }: Encoded): StoredBlob | undefined {
  if (blobs.sharesTransaction !== true || bytes.length > TOGETHER_BYTES) return undefined;
  const key = keyOf(facts);
  const put = async (): Promise<boolean> => (await blobs.put(key, bytes, { ifAbsent: true })) !== undefined;
  return { blob: blobs.refOf(key), blobBytes: bytes.length, facts, put };
}

function appendInput(ports: SavePorts, input: WholeInput, { facts, blob, blobBytes, put }: StoredBlob): AppendWithBlob {
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
