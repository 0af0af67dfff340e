import type { EnvelopeFacts } from "../envelope/envelope-json.ts";
import { isWorkrailError, WorkrailError } from "../errors.ts";
import { ERASED } from "../model/audit.ts";
import { CHECKPOINT_KINDS, type CheckpointRecord } from "../model/checkpoint.ts";
import type { Context } from "../model/context.ts";
import { type CheckpointId, parseSessionId, type SessionId } from "../model/ids.ts";
import type { Session } from "../model/session.ts";
import type { Clock, Log } from "../ports/environment.ts";
import type { Locking } from "../ports/locking.ts";
import { shellWord } from "../shell-word.ts";
import { isItsOwnFault } from "./get-blob.ts";
import { quarantineDamaged } from "./quarantine-damaged.ts";
import { damagedBytesOf, type ReadContext, readContext, type ReadPorts } from "./read-context.ts";
import { eachRecord } from "./view-store.ts";

export interface LoadPorts extends ReadPorts {
  readonly locking: Locking;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of each load; the caller batches what it makes of it. */
  onLoaded(record: CheckpointRecord): void;
}

/** Exactly one of the two. */
export interface LoadInput {
  readonly checkpointId?: CheckpointId | undefined;
  /** Loads the session's head. */
  readonly sessionId?: SessionId | undefined;
}

export interface LoadedCheckpoint {
  readonly record: CheckpointRecord;
  /** The same JSON value that was saved, key order kept. */
  readonly context: Context;
  /** Its JSON text, byte for byte as saved. */
  contextText(): string;
  /** Newer ones of the session that cannot be read, newest first. None when a checkpoint was asked for by its id. */
  readonly fellBackFrom: readonly UnreadableCheckpoint[];
  /** The checkpoint's session, as it is once the context was read. */
  readonly session: Session | undefined;
}

export interface UnreadableCheckpoint {
  readonly checkpointId: CheckpointId;
  /** A sentence for people. */
  readonly reason: string;
}

/** Why each checkpoint that proved unreadable did. */
type Reasons = Map<CheckpointId, string>;

/** Bytes that change under every look at them are not waited for. */
const MAX_LOOKS = 3;
const PAGE = 100;
const KINDS_OF_HEADS = CHECKPOINT_KINDS.filter((kind) => kind !== "aside");

/**
 * Loads a checkpoint, or a session's head, proven against its digest. What proves damaged is put into quarantine and
 * marked; where a session was asked for, the newest that can be read is loaded instead, and the result says so.
 *
 * @throws INVALID_INPUT unless exactly one of the two ids is given; CHECKPOINT_NOT_FOUND; SESSION_NOT_FOUND;
 *   CHECKPOINT_CORRUPT when the record stands but its bytes are gone or wrong, naming the nearest that can be read;
 *   UNSUPPORTED_VERSION; TOO_LARGE; STORAGE_UNAVAILABLE.
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
  const reasons: Reasons = new Map();
  const record = await ports.catalog.find(id);
  if (record === undefined) throw await checkpointNotFound(ports, id);
  const read = await readProven(ports, record, reasons);
  if (read !== undefined) return { ...read, fellBackFrom: [], session: await ports.catalog.session(record.sessionId) };
  const still = await ports.catalog.find(id);
  if (still === undefined) throw await checkpointNotFound(ports, id);
  const nearest = await findNearest(ports, still, reasons);
  throw damaged(still, reasons.get(id), nearest);
}

/** From the newest on; whatever is saved meanwhile is newer still. */
async function loadHead(ports: LoadPorts, sessionId: SessionId): Promise<LoadedCheckpoint> {
  const reasons: Reasons = new Map();
  for (let head = await ports.catalog.head(sessionId); head !== undefined; head = await newestBut(ports, sessionId, reasons)) {
    const read = await readProven(ports, head, reasons);
    if (read === undefined) continue;
    const session = await ports.catalog.session(sessionId);
    const isNewest = reasons.size === 0 && session?.damagedCount === 0;
    return { ...read, session, fellBackFrom: isNewest ? [] : await passedOver(ports, read.record, reasons) };
  }
  const session = await ports.catalog.session(sessionId);
  if (session === undefined || (session.damagedCount === 0 && reasons.size === 0)) throw sessionNotFound(sessionId);
  throw new WorkrailError("CHECKPOINT_CORRUPT", `None of the checkpoints of session ${sessionId} can be read.`, {
    details: { sessionId, checkpoints: session.checkpointCount, damaged: session.damagedCount },
    hint: "Restore the session's files from a backup, then run `workrail repair`. What there was of them is in quarantine.",
  });
}

/** The newest of the session's checkpoints that may be readable. */
async function newestBut(ports: LoadPorts, sessionId: SessionId, reasons: Reasons): Promise<CheckpointRecord | undefined> {
  for await (const record of newestFirst(ports, sessionId)) if (!record.damaged && !reasons.has(record.id)) return record;
  return undefined;
}

function newestFirst({ catalog }: LoadPorts, sessionId: SessionId): AsyncGenerator<CheckpointRecord> {
  return eachRecord(catalog, { sessionId, kinds: KINDS_OF_HEADS }, PAGE);
}

/** Which newer ones the loaded checkpoint stands in for: those that failed now, and those that were marked before. */
async function passedOver(ports: LoadPorts, loaded: CheckpointRecord, reasons: Reasons): Promise<UnreadableCheckpoint[]> {
  const passed: UnreadableCheckpoint[] = [];
  for await (const { id, sequence, damaged: isDamaged } of newestFirst(ports, loaded.sessionId)) {
    if (sequence <= loaded.sequence) break;
    const reason = reasons.get(id) ?? (isDamaged ? FOUND_BEFORE : undefined);
    if (reason !== undefined) passed.push({ checkpointId: id, reason });
  }
  return passed;
}

const FOUND_BEFORE = "It was found damaged before; what there was of it is in quarantine.";

/**
 * `undefined` when it cannot be read, and `reasons` then says why. A blob may be pruned or re-encoded between our look at
 * the record and our read of the bytes. Only a record that is still the same after a failed read proves that the bytes are
 * wrong.
 */
async function readProven(
  ports: LoadPorts,
  first: CheckpointRecord,
  reasons: Reasons,
): Promise<(Omit<ReadContext, "facts"> & { readonly record: CheckpointRecord }) | undefined> {
  let record = first;
  for (let looks = 1; ; looks++) {
    let failure: WorkrailError;
    try {
      if (record.damaged) return fail(reasons, first.id, FOUND_BEFORE);
      const { facts, ...read } = await readContext(ports, record, reasons);
      return { record: asProven(record, facts), ...read };
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      failure = error;
    }
    const again = await ports.catalog.find(record.id);
    if (again === undefined) return fail(reasons, first.id, "It was removed meanwhile.");
    const isProven = isSameVersion(record, again);
    if (isProven && !(await isWorthAnotherLook(ports, record, failure, looks))) return fail(reasons, first.id, failure.message);
    record = again;
  }
}

/** A file is proven as it is read, and a catalog's row is not: what both say of a checkpoint is taken from its file. */
function asProven(record: CheckpointRecord, { canonicalDigest = record.canonicalDigest, ...facts }: EnvelopeFacts): CheckpointRecord {
  return { ...record, ...facts, canonicalDigest };
}

function fail(reasons: Reasons, id: CheckpointId, reason: string): undefined {
  reasons.set(id, reason);
}

/** Whether a proven failure may have become another: what was damaged is marked now, or is not damaged any more. */
async function isWorthAnotherLook(ports: LoadPorts, record: CheckpointRecord, failure: WorkrailError, looks: number): Promise<boolean> {
  const culprit = damagedBytesOf(failure);
  if (culprit === undefined) return false;
  try {
    const isMarked = await quarantineDamaged(ports, culprit, failure.message);
    return isMarked ? culprit.id !== record.id : looks < MAX_LOOKS;
  } catch (error) {
    // That it cannot be marked must not keep back what can be read.
    const { id: checkpointId, sessionId, blob } = culprit;
    const reason = failure.message;
    ports.log.error("a checkpoint is damaged, and could not be marked", { checkpointId, sessionId, blobPath: blob, reason, error });
    return false;
  }
}

function isCorrupt(error: unknown): error is WorkrailError {
  return isWorkrailError(error) && error.code === "CHECKPOINT_CORRUPT";
}

function isSameVersion(left: CheckpointRecord, right: CheckpointRecord): boolean {
  const isSameForm = left.blobBytes === right.blobBytes && left.baseId === right.baseId && left.damaged === right.damaged;
  return isSameForm && left.id === right.id && left.blob === right.blob;
}

/** The next older one of its session that can be read, else the next newer. */
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

/** A handle may have run out, and even while it holds somebody may remove what it is for: the error tells what can be told. */
/** What is told of a checkpoint that may be meant by an id that names none. */
export interface LikelyCheckpoint {
  readonly checkpointId: CheckpointId;
  readonly sessionId: SessionId;
  readonly name?: string | undefined;
}

/** Says why there is none: it is in the trash, was erased, or is not known. @param nearest those that may be meant instead. */
export async function checkpointNotFound(
  { catalog }: Pick<LoadPorts, "catalog">,
  checkpointId: CheckpointId,
  nearest: readonly LikelyCheckpoint[] = [],
): Promise<WorkrailError> {
  const [trashed] = (await catalog.trash({ checkpointId, limit: 1 })).entries;
  if (trashed !== undefined) {
    const [sessionId, trashedAt] = [trashed.record.sessionId, trashed.trashedAt.toISOString()];
    return new WorkrailError("CHECKPOINT_NOT_FOUND", `Checkpoint ${checkpointId} was moved to the trash at ${trashedAt}.`, {
      details: { checkpointId, sessionId, trashedAt },
      hint: `\`workrail trash restore ${shellWord(sessionId)} ${checkpointId}\` brings it back.`,
    });
  }
  const [deleted] = await catalog.auditLog({ actions: ["delete"], checkpointId, limit: 1 });
  if (deleted?.reason === ERASED) {
    const erasedAt = deleted.at.toISOString();
    return new WorkrailError("CHECKPOINT_NOT_FOUND", `Checkpoint ${checkpointId} was erased at ${erasedAt}.`, {
      details: { checkpointId, reason: ERASED, erasedAt, ...(deleted.sessionId === undefined ? {} : { sessionId: deleted.sessionId }) },
      hint: `${await whatIsLeft(catalog, checkpointId)} \`workrail list\` lists the checkpoints there are.`,
    });
  }
  const isSession = (await catalog.session(parseSessionId(checkpointId))) !== undefined;
  return unknownCheckpoint(checkpointId, { isSession, nearest });
}

const GENERATED = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

/** @param reference what was given for an id. */
export function unknownCheckpoint(
  reference: string,
  { isSession = false, nearest = [] }: { readonly isSession?: boolean; readonly nearest?: readonly LikelyCheckpoint[] } = {},
): WorkrailError {
  const isSessionHint =
    "It is the id of a session: give it as sessionId, or list the checkpoints of that session to find the one that is meant.";
  const toList = "`workrail list` lists the checkpoints there are.";
  // An id of ours was once somebody's.
  const goneHint = GENERATED.test(reference)
    ? `It may have been pruned, after its handle ran out if there was one, or removed on purpose. ${toList}`
    : toList;
  const nearestHint = nearest.length === 0 ? goneHint : `Nearest: ${nearest.map(inWords).join(", ")}.`;
  return new WorkrailError("CHECKPOINT_NOT_FOUND", `There is no checkpoint ${reference}.`, {
    details: { checkpointId: reference, ...(nearest.length === 0 ? {} : { nearest }) },
    hint: isSession ? isSessionHint : nearestHint,
  });
}

/** Names a checkpoint in a sentence. */
export function inWords({ checkpointId, name, sessionId }: LikelyCheckpoint): string {
  return `${checkpointId} (${name === undefined ? `session ${sessionId}` : `"${name}"`})`;
}

async function whatIsLeft(catalog: LoadPorts["catalog"], checkpointId: CheckpointId): Promise<string> {
  const isUnfinished = (await catalog.erasures()).some((erasure) => erasure.checkpointId === checkpointId);
  return isUnfinished
    ? "Its erasure is not finished: parts of it are still in the store, until the store is opened for writing the next time."
    : "Nothing of it is left in the store.";
}

export function sessionNotFound(sessionId: SessionId): WorkrailError {
  return new WorkrailError("SESSION_NOT_FOUND", `There is no session ${sessionId}.`, {
    details: { sessionId },
    hint: "`workrail sessions --all-projects` lists the sessions there are.",
  });
}
