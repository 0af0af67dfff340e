import { decodeBlob, encodeBlob } from "../../envelope/envelope.ts";
import { WorkrailError } from "../../errors.ts";
import type { SavedContent } from "../../json/saved-content.ts";
import type { CheckpointFacts, CheckpointRecord } from "../../model/checkpoint.ts";
import type { BlobRef, CheckpointId } from "../../model/ids.ts";
import type { Limits } from "../../model/limits.ts";
import { isSameBytes } from "../../json/utf8.ts";
import type { AppendWithBlob, CommitOutcome } from "../../catalog/rules/append.ts";
import { changedSince } from "./changed-since.ts";
import { isCorrupt, readContext, readFacts } from "../load/read-context.ts";
import { findCheckpoint } from "../../catalog/queries/query-checkpoints.ts";
import { changeForm } from "../../catalog/rules/change-form.ts";
import type { IgnoredOnSkip, SaveOutcome, SavePorts, WholeInput } from "./save-input.ts";

/** Another process saved between reading a patch's base and the commit. Never leaves `saveCheckpoint`. */
export class HeadMoved extends Error {
  readonly conflict: WorkrailError;

  constructor(conflict: WorkrailError) {
    super(conflict.message);
    this.conflict = conflict;
  }
}

/** Outcome of a commit that made no checkpoint, with the blob that was meant for it. */
type NotCommitted = StoredBlob & Exclude<CommitOutcome, { status: "blob-missing" | "committed" | "moved" }>;

/** Answers a save whose commit made no checkpoint. @throws the error that the outcome stands for. */
export async function answerOutcome(ports: SavePorts, input: WholeInput, outcome: NotCommitted): Promise<SaveOutcome> {
  switch (outcome.status) {
    case "unchanged":
      return answerUnchanged(input, outcome.head);
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

/** Answers with an existing checkpoint, and names the given data that it lacks. */
export function answerUnchanged(input: WholeInput, record: CheckpointRecord): SaveOutcome {
  const ignored: IgnoredOnSkip[] = [];
  if (input.checkpointId !== undefined && input.checkpointId !== record.id) ignored.push("checkpointId");
  // Continuing the checkpoint that already has the content loses nothing.
  if (input.parentId !== undefined && input.parentId !== record.parentId && input.parentId !== record.id) ignored.push("parentId");
  const texts = ["workflowId", "agentId", "name"] as const;
  ignored.push(...texts.filter((field) => input[field] !== undefined && input[field] !== record[field]));
  if (input.tags !== undefined && !input.tags.every((tag) => record.tags.includes(tag))) ignored.push("tags");
  if (Object.entries(input.attributes ?? {}).some(([key, value]) => !sameWhenWritten(record.attributes[key], value)))
    ignored.push("metadata");
  if (record.exactDigest !== input.content.exactDigest) ignored.push("keyOrder");
  return { status: "unchanged", record, ignored };
}

/** Detects a repeated save whose answer was lost: the head has the same parent and exactly the same bytes. */
export async function lostAnswerOrConflict(ports: SavePorts, input: WholeInput, head: CheckpointRecord | undefined): Promise<SaveOutcome> {
  const parentId = input.parentId === undefined ? input.expectedParentId : input.parentId;
  if (head !== undefined && head.parentId === parentId && head.exactDigest === input.content.exactDigest) {
    return answerUnchanged(input, await repaired(ports, input, head));
  }
  throw await conflict(ports, input, head);
}

/** Answers a save under an id that is taken. @throws CONFLICT when its checkpoint has another context. */
export async function sameOrConflict(ports: SavePorts, input: WholeInput, existing: CheckpointRecord): Promise<SaveOutcome> {
  if (existing.sessionId === input.sessionId && existing.exactDigest === input.content.exactDigest) {
    return answerUnchanged(input, await repaired(ports, input, existing));
  }
  throw idTaken(existing.id);
}

/** Returns the error for a head that is not the expected one, with what changed since. */
export async function conflict(ports: SavePorts, input: WholeInput, head: CheckpointRecord | undefined): Promise<WorkrailError> {
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

/** Repairs a damaged checkpoint whose context is saved again. Remains of its file are quarantined. */
async function repaired(ports: SavePorts, { content }: WholeInput, record: CheckpointRecord): Promise<CheckpointRecord> {
  if (!record.damaged && (await isReadable(ports, record))) return record;
  await writeAgain(ports, record, { facts: record, content, before: () => ports.blobs.quarantine(record.blob) });
  // Another process may have been faster. A checkpoint removed meanwhile is like one removed after the answer.
  return (await findCheckpoint(ports.catalog, record.id)) ?? record;
}

/**
 * True when an existing checkpoint can be loaded. Its file may have been damaged since, and the caller relies on the bytes.
 * Reading them takes less time than writing.
 */
export async function isReadable(ports: SavePorts, record: CheckpointRecord): Promise<boolean> {
  try {
    await readContext(ports, record);
    return true;
  } catch (error) {
    if (isCorrupt(error)) return false;
    throw error;
  }
}

/** Blob in the store, with the facts that the record must have. */
export interface StoredBlob {
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

/**
 * Reads an existing blob; `undefined` when it is missing or unreadable. A delta is assumed to have the canonical digest of the
 * new facts.
 */
export async function readStored(
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
export function isSameButForTime(left: CheckpointFacts, right: CheckpointFacts): boolean {
  return sameWhenWritten({ ...left, createdAt: undefined }, { ...right, createdAt: undefined });
}

/**
 * Restores a replaced blob. Another process that chose the same id may have taken the blob for garbage while no record needed it,
 * and put another one in its place just before the commit. After the commit this cannot happen. The blob of the record is restored, unless
 * the checkpoint was removed since.
 */
export async function putBackIfReplaced(
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

function sameWhenWritten(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function inTrash(checkpointId: CheckpointId): WorkrailError {
  const hint = "Restore that checkpoint, empty the trash, or choose another checkpointId.";
  return taken(checkpointId, "names a checkpoint that is in the trash", hint);
}

export function idTaken(checkpointId: CheckpointId): WorkrailError {
  const hint = "Choose another checkpointId, or leave it out to get a new one.";
  return taken(checkpointId, "already names a checkpoint with other content", hint);
}

function taken(checkpointId: CheckpointId, fault: string, hint: string): WorkrailError {
  return new WorkrailError("CONFLICT", `checkpointId ${checkpointId} ${fault}.`, { details: { checkpointId }, hint });
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

function asidesFull(sizeBytes: number, { maxAsides, maxAsideBytes }: Limits): WorkrailError {
  return quotaExceeded(
    `The session has reached its limit of asides (${maxAsides}, or ${maxAsideBytes} bytes in all), and valid handles protect them.`,
    { limit: "maxAsides", maxAsides, maxAsideBytes, sizeBytes },
    "Save a checkpoint, use another session, wait until handles expire, or raise the limit.",
  );
}

export function quotaExceeded(message: string, details: WorkrailError["details"], hint: string): WorkrailError {
  return new WorkrailError("STORAGE_QUOTA_EXCEEDED", message, { details, hint });
}

function ownerMissing(checkpointId: CheckpointId | undefined): WorkrailError {
  return new WorkrailError("CHECKPOINT_NOT_FOUND", `There is no checkpoint ${checkpointId} any more.`, { details: { checkpointId } });
}
