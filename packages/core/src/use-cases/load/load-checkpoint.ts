import type { EnvelopeFacts } from "../../envelope/envelope-json.ts";
import { WorkrailError } from "../../errors.ts";
import { ERASED } from "../../model/audit.ts";
import { CHECKPOINT_KINDS, type CheckpointRecord } from "../../model/checkpoint.ts";
import type { Context } from "../../model/context.ts";
import { type CheckpointId, isGenerated, parseSessionId, type SessionId } from "../../model/ids.ts";
import type { Session } from "../../model/session.ts";
import type { Clock, Log } from "../../ports/environment.ts";
import type { Locking } from "../../ports/locking.ts";
import { shellWord } from "../../shell-word.ts";
import { isItsOwnFault } from "./get-blob.ts";
import { quarantineDamaged } from "../care/quarantine-damaged.ts";
import { damagedBytesOf, type ReadOptions, isCorrupt, readContext, type ReadPorts, type ReadText, readText } from "./read-context.ts";
import { eachRecord } from "../remove/view-store.ts";
import { listErasures } from "../../catalog/queries/list-erasures.ts";
import { findSession, findSessionAndHead } from "../../catalog/queries/query-sessions.ts";
import { auditRows } from "../../catalog/queries/read-audit.ts";
import { queryTrash } from "../../catalog/queries/query-trash.ts";
import { findCheckpoint } from "../../catalog/queries/query-checkpoints.ts";

export interface LoadPorts extends ReadPorts {
  readonly locking: Locking;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after each load; the caller batches the accesses. */
  onLoaded(record: CheckpointRecord): void;
}

/** Exactly one of the two ids must be given. */
export interface LoadInput {
  readonly checkpointId?: CheckpointId | undefined;
  /** Loads the head of this session. */
  readonly sessionId?: SessionId | undefined;
}

export interface LoadedCheckpoint {
  readonly record: CheckpointRecord;
  /** The same JSON value that was saved, including key order. */
  readonly context: Context;
  /** Returns the JSON text, byte for byte as saved. */
  contextText(): string;
  /** Newer checkpoints of the session that cannot be read, newest first. Empty when a checkpoint was requested by id. */
  readonly fellBackFrom: readonly UnreadableCheckpoint[];
  /** The checkpoint's session, read after the context. */
  readonly session: Session | undefined;
}

export interface UnreadableCheckpoint {
  readonly checkpointId: CheckpointId;
  /** A sentence for people. */
  readonly reason: string;
}

/** Reasons of unreadable checkpoints. */
type Reasons = Map<CheckpointId, string>;

/** Attempts for bytes that change between reads. */
const MAX_LOOKS = 3;
const PAGE = 100;
const KINDS_OF_HEADS = CHECKPOINT_KINDS.filter((kind) => kind !== "aside");

/**
 * Loads a checkpoint, or a session's head, and verifies its digest. A damaged checkpoint is marked and moved to quarantine. For a
 * session, the newest readable checkpoint is loaded instead, and the result says so.
 *
 * @throws INVALID_INPUT unless exactly one of the two ids is given; CHECKPOINT_NOT_FOUND; SESSION_NOT_FOUND; CHECKPOINT_CORRUPT
 * when the record exists but its bytes are missing or wrong, naming the nearest readable checkpoint; UNSUPPORTED_VERSION;
 * TOO_LARGE; STORAGE_UNAVAILABLE.
 */
export async function loadCheckpoint(ports: LoadPorts, { checkpointId, sessionId }: LoadInput): Promise<LoadedCheckpoint> {
  if ((checkpointId === undefined) === (sessionId === undefined)) {
    throw new WorkrailError("INVALID_INPUT", "Give either checkpointId or sessionId, and only one of them.", {
      details: { field: "checkpointId" },
      hint: "Use checkpointId for one checkpoint, sessionId for the latest one of a session.",
    });
  }
  return ports.locking.shared(async () => {
    const loaded = checkpointId === undefined ? await loadHead(ports, sessionId as SessionId) : await loadById(ports, checkpointId);
    ports.onLoaded(loaded.record);
    return loaded;
  });
}

async function loadById(ports: LoadPorts, id: CheckpointId): Promise<LoadedCheckpoint> {
  const record = await findCheckpoint(ports.catalog, id);
  if (record === undefined) throw await checkpointNotFound(ports, id);
  const read = await withContext(await readOrThrow(ports, record));
  return { ...read, fellBackFrom: [], session: await findSession(ports.catalog, record.sessionId) };
}

/**
 * Reads a checkpoint that is in the catalog.
 *
 * @throws as `loadCheckpoint`.
 */
export async function readOrThrow(
  ports: LoadPorts,
  record: CheckpointRecord,
  options?: Omit<ReadOptions, "unreadable">,
): Promise<ProvenText> {
  const reasons: Reasons = new Map();
  const { id } = record;
  const read = await readProven(ports, record, { ...options, unreadable: reasons });
  if (read !== undefined) return read;
  const still = await findCheckpoint(ports.catalog, id);
  if (still === undefined) throw await checkpointNotFound(ports, id);
  const nearest = await findNearest(ports, still, reasons);
  throw damaged(still, reasons.get(id), nearest);
}

/** Tries checkpoints from the newest on, including ones saved meanwhile. */
async function loadHead(ports: LoadPorts, sessionId: SessionId): Promise<LoadedCheckpoint> {
  const reasons: Reasons = new Map();
  const first = await findSessionAndHead(ports.catalog, sessionId);
  for (let { head } = first; head !== undefined; head = await newestBut(ports, sessionId, reasons)) {
    const proven = await readProven(ports, head, { unreadable: reasons });
    if (proven === undefined) continue;
    const read = await withContext(proven);
    const session = head === first.head ? first.session : await findSession(ports.catalog, sessionId);
    const isNewest = reasons.size === 0 && session?.damagedCount === 0;
    return { ...read, session, fellBackFrom: isNewest ? [] : await passedOver(ports, read.record, reasons) };
  }
  const session = await findSession(ports.catalog, sessionId);
  if (session === undefined || (session.damagedCount === 0 && reasons.size === 0)) throw sessionNotFound(sessionId);
  throw new WorkrailError("CHECKPOINT_CORRUPT", `No checkpoint of session ${sessionId} can be read.`, {
    details: { sessionId, checkpoints: session.checkpointCount, damaged: session.damagedCount },
    hint: "Restore the session's files from a backup, then run `workrail repair`. Damaged files are in quarantine.",
  });
}

/** Returns the newest checkpoint of the session that may be readable. */
async function newestBut(ports: LoadPorts, sessionId: SessionId, reasons: Reasons): Promise<CheckpointRecord | undefined> {
  for await (const record of newestFirst(ports, sessionId)) if (!record.damaged && !reasons.has(record.id)) return record;
  return undefined;
}

function newestFirst({ catalog }: LoadPorts, sessionId: SessionId): AsyncGenerator<CheckpointRecord> {
  return eachRecord(catalog, { sessionId, kinds: KINDS_OF_HEADS }, PAGE);
}

/** Lists the newer checkpoints that the loaded one replaces: those that failed now, and those marked before. */
async function passedOver(ports: LoadPorts, loaded: CheckpointRecord, reasons: Reasons): Promise<UnreadableCheckpoint[]> {
  const passed: UnreadableCheckpoint[] = [];
  for await (const { id, sequence, damaged: isDamaged } of newestFirst(ports, loaded.sessionId)) {
    if (sequence <= loaded.sequence) break;
    const reason = reasons.get(id) ?? (isDamaged ? FOUND_BEFORE : undefined);
    if (reason !== undefined) passed.push({ checkpointId: id, reason });
  }
  return passed;
}

const FOUND_BEFORE = "It was found damaged earlier; its damaged file is in quarantine.";

/**
 * Reads a checkpoint; `undefined` when it cannot be read, with the reason in `unreadable`. A blob may be pruned or re-encoded
 * between reading the record and the bytes. Therefore only a record that is unchanged after a failed read proves that the bytes
 * are wrong.
 */
async function readProven(
  ports: LoadPorts,
  first: CheckpointRecord,
  options: ReadOptions & { readonly unreadable: Reasons },
): Promise<ProvenText | undefined> {
  const { unreadable: reasons } = options;
  let record = first;
  for (let looks = 1; ; looks++) {
    let failure: WorkrailError;
    try {
      if (record.damaged) return fail(reasons, first.id, FOUND_BEFORE);
      const read = await readText(ports, record, options);
      return { ...read, record: asProven(record, read.facts) };
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      failure = error;
    }
    const again = await findCheckpoint(ports.catalog, record.id);
    if (again === undefined) return fail(reasons, first.id, "It was removed meanwhile.");
    const isProven = isSameVersion(record, again);
    if (isProven && !(await isWorthAnotherLook(ports, failure, { record, looks }))) return fail(reasons, first.id, failure.message);
    record = again;
  }
}

/** A text that was read, with its record according to the file. */
export interface ProvenText extends ReadText {
  readonly record: CheckpointRecord;
}

async function withContext(read: ProvenText): Promise<Pick<LoadedCheckpoint, "record" | "context" | "contextText">> {
  return { record: read.record, context: (await read.value()) as Context, contextText: () => read.contextText() };
}

/** Takes facts from the file where record and file overlap: the file is verified, the catalog row is not. */
function asProven(record: CheckpointRecord, { canonicalDigest = record.canonicalDigest, ...facts }: EnvelopeFacts): CheckpointRecord {
  return { ...record, ...facts, canonicalDigest };
}

function fail(reasons: Reasons, id: CheckpointId, reason: string): undefined {
  reasons.set(id, reason);
}

/** True when a proven failure may have changed: the damaged base is marked now, or no longer damaged. */
async function isWorthAnotherLook(
  ports: LoadPorts,
  failure: WorkrailError,
  { record, looks }: { readonly record: CheckpointRecord; readonly looks: number },
): Promise<boolean> {
  const culprit = damagedBytesOf(failure);
  if (culprit === undefined) return false;
  try {
    const isMarked = await quarantineDamaged(ports, culprit, failure.message);
    return isMarked ? culprit.id !== record.id : looks < MAX_LOOKS;
  } catch (error) {
    // A failure to mark must not stop the load of other checkpoints.
    const { id: checkpointId, sessionId, blob } = culprit;
    const reason = failure.message;
    ports.log.error("a damaged checkpoint could not be marked", { checkpointId, sessionId, blobPath: blob, reason, error });
    return false;
  }
}

function isSameVersion(left: CheckpointRecord, right: CheckpointRecord): boolean {
  const isSameForm = left.blobBytes === right.blobBytes && left.baseId === right.baseId && left.damaged === right.damaged;
  return isSameForm && left.id === right.id && left.blob === right.blob;
}

/** Returns the next older readable checkpoint of the session, else the next newer one. */
async function findNearest(ports: LoadPorts, record: CheckpointRecord, reasons: Reasons): Promise<CheckpointRecord | undefined> {
  const newer: CheckpointRecord[] = [];
  for await (const each of newestFirst(ports, record.sessionId)) {
    if (each.sequence > record.sequence) newer.push(each);
    else if (each.sequence < record.sequence && (await isReadable(ports, each, reasons))) return each;
  }
  for (const each of newer.toReversed()) if (await isReadable(ports, each, reasons)) return each;
  return undefined;
}

async function isReadable(ports: LoadPorts, record: CheckpointRecord, reasons: Reasons): Promise<boolean> {
  if (record.damaged) return false;
  try {
    await readContext(ports, record, reasons);
    return true;
  } catch (error) {
    if (!isItsOwnFault(error)) throw error;
    reasons.set(record.id, error.message);
    return false;
  }
}

function damaged(record: CheckpointRecord, reason: string | undefined, nearest: CheckpointRecord | undefined): WorkrailError {
  const { id: checkpointId, sessionId, blob: blobPath } = record;
  return new WorkrailError("CHECKPOINT_CORRUPT", `Checkpoint ${checkpointId} cannot be read: ${reason ?? FOUND_BEFORE}`, {
    details: { checkpointId, sessionId, blobPath, nearestValidId: nearest?.id ?? null },
    hint:
      nearest === undefined
        ? "No checkpoint of its session can be read. Restore the session's files from a backup, then run `workrail repair`."
        : `Load ${nearest.id}, the nearest checkpoint of its session that can be read.`,
  });
}

/** Candidate for an unknown id. */
export interface LikelyCheckpoint {
  readonly checkpointId: CheckpointId;
  readonly sessionId: SessionId;
  readonly name?: string | undefined;
}

/**
 * Returns the error for a missing checkpoint, with the reason: in the trash, erased, or unknown. A handle may have expired, and
 * even a valid one does not stop a deliberate removal.
 *
 * @param nearest checkpoints with similar ids.
 */
export async function checkpointNotFound(
  { catalog }: Pick<LoadPorts, "catalog">,
  checkpointId: CheckpointId,
  nearest: readonly LikelyCheckpoint[] = [],
): Promise<WorkrailError> {
  const [trashed] = (await queryTrash(catalog, { checkpointId, limit: 1 })).entries;
  if (trashed !== undefined) {
    const [sessionId, trashedAt] = [trashed.record.sessionId, trashed.trashedAt.toISOString()];
    return new WorkrailError("CHECKPOINT_NOT_FOUND", `Checkpoint ${checkpointId} was moved to the trash at ${trashedAt}.`, {
      details: { checkpointId, sessionId, trashedAt },
      hint: `\`workrail trash restore ${shellWord(sessionId)} ${checkpointId}\` brings it back.`,
    });
  }
  const [deleted] = await auditRows(catalog, { actions: ["delete"], checkpointIds: [checkpointId], limit: 1 });
  if (deleted?.reason === ERASED) {
    const erasedAt = deleted.at.toISOString();
    return new WorkrailError("CHECKPOINT_NOT_FOUND", `Checkpoint ${checkpointId} was erased at ${erasedAt}.`, {
      details: { checkpointId, reason: ERASED, erasedAt, ...(deleted.sessionId === undefined ? {} : { sessionId: deleted.sessionId }) },
      hint: `${await whatIsLeft(catalog, checkpointId)} \`workrail list\` lists the existing checkpoints.`,
    });
  }
  const isSession = (await findSession(catalog, parseSessionId(checkpointId))) !== undefined;
  return unknownCheckpoint(checkpointId, { isSession, nearest });
}

/**
 * Returns the error for an unknown checkpoint.
 *
 * @param reference the given id.
 */
export function unknownCheckpoint(
  reference: string,
  { isSession = false, nearest = [] }: { readonly isSession?: boolean; readonly nearest?: readonly LikelyCheckpoint[] } = {},
): WorkrailError {
  const isSessionHint = "This is a session id: give it as sessionId, or list the checkpoints of that session.";
  const toList = "`workrail list` lists the existing checkpoints.";
  // An id in the product's own form once existed.
  const goneHint = isGenerated(reference) ? `It may have been pruned, or removed on purpose. ${toList}` : toList;
  const nearestHint = nearest.length === 0 ? goneHint : `Nearest: ${nearest.map(inWords).join(", ")}.`;
  return new WorkrailError("CHECKPOINT_NOT_FOUND", `There is no checkpoint ${reference}.`, {
    details: { checkpointId: reference, ...(nearest.length === 0 ? {} : { nearest }) },
    hint: isSession ? isSessionHint : nearestHint,
  });
}

/** Describes a checkpoint in a sentence. */
export function inWords({ checkpointId, name, sessionId }: LikelyCheckpoint): string {
  return `${checkpointId} (${name === undefined ? `session ${sessionId}` : `"${name}"`})`;
}

async function whatIsLeft(catalog: LoadPorts["catalog"], checkpointId: CheckpointId): Promise<string> {
  const isUnfinished = (await listErasures(catalog)).some((erasure) => erasure.checkpointId === checkpointId);
  return isUnfinished
    ? "Its erasure is not finished: parts of it stay in the store until the next opening for writing."
    : "No part of it is left in the store.";
}

export function sessionNotFound(sessionId: SessionId): WorkrailError {
  return new WorkrailError("SESSION_NOT_FOUND", `There is no session ${sessionId}.`, {
    details: { sessionId },
    hint: "`workrail sessions --all-projects` lists all sessions.",
  });
}
