import { applyDelta } from "../delta/apply-delta.ts";
import { decodeBlob } from "../envelope/decode-blob.ts";
import type { DecodedBlob, DeltaBlob, WholeBlob } from "../envelope/envelope.ts";
import { completeFacts, type EnvelopeFacts } from "../envelope/envelope-json.ts";
import { isWorkrailError, WorkrailError } from "../errors.ts";
import { parseContext } from "../json/parse-context.ts";
import { LARGE_BYTES, utf8Parts } from "../json/text-parts.ts";
import { type WrittenJson, writeJson, writtenTexts } from "../json/written-json.ts";
import type { CheckpointRecord } from "../model/checkpoint.ts";
import type { Context, JsonValue } from "../model/context.ts";
import type { BlobRef, CheckpointId, Digest } from "../model/ids.ts";
import type { Limits } from "../model/limits.ts";
import { decodeUtf8 } from "../platform.ts";
import type { BlobStore } from "../ports/blob-store.ts";
import type { Catalog } from "../ports/catalog.ts";
import type { Codec } from "../ports/codec.ts";
import type { Digester } from "../ports/environment.ts";
import { getBlob } from "./get-blob.ts";

export interface ReadPorts {
  readonly catalog: Catalog;
  readonly blobs: BlobStore;
  readonly codec: Codec;
  readonly digests: Digester;
  readonly limits: Pick<Limits, "maxContextBytes">;
}

export interface ReadContext {
  readonly context: Context;
  /** Its JSON text, byte for byte as saved. */
  contextText(): string;
  /** What its blob says, with what it leaves out to those it is stored against. */
  readonly facts: EnvelopeFacts;
}

/** A checkpoint, or one that was removed: it has no record, but keeps its blob, where it would be put, while something needs it. */
type Located =
  | CheckpointRecord
  | { readonly id: CheckpointId; readonly blob: BlobRef; readonly exactDigest?: never; readonly sessionId?: never };

/** A delta on the way from a checkpoint to one that is whole. */
interface Step {
  readonly at: Located;
  readonly blob: DeltaBlob;
}

/** Which checkpoint's own bytes are wrong, of the one that was read and those it is stored against. */
const culprits = new WeakMap<WorkrailError, CheckpointRecord>();

/**
 * Reads a checkpoint's context, following its bases to the first that is whole. What is read is proven against the
 * record's digest; the way there needs no proof of its own.
 *
 * @param unreadable checkpoints already known to be unreadable: whatever is stored against one is too.
 * @throws CHECKPOINT_CORRUPT, UNSUPPORTED_VERSION, TOO_LARGE, STORAGE_UNAVAILABLE
 */
export async function readContext(
  ports: ReadPorts,
  record: CheckpointRecord,
  unreadable?: { has(id: CheckpointId): boolean },
): Promise<ReadContext> {
  const steps: Step[] = [];
  const seen = new Set<CheckpointId>();
  for (let at: Located = record; ;) {
    seen.add(at.id);
    const blob: DecodedBlob = await readBlob(ports, at);
    if (blob.kind === "whole") return rebuild(ports, record, blob, steps);
    steps.push({ at, blob });
    if (seen.has(blob.base)) throw blame(at, "It is stored against itself.");
    if (unreadable?.has(blob.base) === true) throw unreadableBase(blob.base);
    const base = await ports.catalog.find(blob.base);
    // Its own bytes may be right, and it becomes readable again when its base does.
    if (base?.damaged === true) throw unreadableBase(blob.base);
    at = base ?? { id: blob.base, blob: ports.blobs.refOf({ sessionId: record.sessionId, checkpointId: blob.base }) };
  }
}

/**
 * Whose bytes a failed `readContext` proved to be wrong, as their record was then. `undefined` for any other failure, such
 * as a base that is gone: then what was to be read cannot be, but there is nothing wrong with its own bytes.
 */
export function damagedBytesOf(error: unknown): CheckpointRecord | undefined {
  return isWorkrailError(error) ? culprits.get(error) : undefined;
}

/**
 * Reads a checkpoint's own blob, and proves as much of it as can be without others.
 *
 * @throws CHECKPOINT_CORRUPT, UNSUPPORTED_VERSION, TOO_LARGE, STORAGE_UNAVAILABLE
 */
export async function readBlob(ports: Omit<ReadPorts, "catalog">, at: Located): Promise<DecodedBlob> {
  if (isRecord(at) && at.damaged) throw corrupt("It was found damaged before, and what there was of it is in quarantine.");
  const bytes = await getBlob(ports.blobs, at.blob);
  if (bytes === undefined) throw blame(at, "Its file is missing.");
  let decoded: DecodedBlob;
  try {
    decoded = await decodeBlob(ports, bytes);
  } catch (error) {
    throw isCorrupt(error) ? blame(at, error.message, error) : error;
  }
  const isOther = decoded.facts.id !== at.id || (isRecord(at) && decoded.facts.exactDigest !== at.exactDigest);
  if (!isOther) return decoded;
  // A file that is right by itself, and in its place, is not the one of the two that is wrong: it must not be put aside.
  const sessionId = decoded.kind === "whole" ? decoded.facts.sessionId : at.sessionId;
  if (sessionId !== undefined && ports.blobs.refOf({ sessionId, checkpointId: decoded.facts.id }) === at.blob) {
    throw corrupt("Its file is whole, but not what the catalog says of it.", undefined, { reason: RECORD_DIFFERS });
  }
  throw blame(at, "Its file holds another checkpoint.");
}

/** Whether a failed read found a file that is right by itself, and a record that says otherwise. A rebuild settles it. */
export function isRecordInDoubt(error: WorkrailError): boolean {
  return error.details["reason"] === RECORD_DIFFERS;
}

const RECORD_DIFFERS = "record-differs";

/**
 * Makes the context of a delta from that of its base.
 *
 * @throws CHECKPOINT_CORRUPT when the result is not what was saved; then it is the delta that is wrong, if the base is right.
 */
export function makeContext(digests: Digester, base: JsonValue, { at, blob }: Step): JsonValue {
  try {
    const value = applyDelta(base, blob.delta);
    if (digests.sha256(JSON.stringify(value)) === blob.facts.exactDigest) return value;
  } catch (error) {
    throw isCorrupt(error) ? blame(at, error.message, error) : error;
  }
  throw blame(at, "What its delta makes does not match its digest.");
}

async function rebuild(ports: ReadPorts, wanted: CheckpointRecord, whole: WholeBlob, steps: readonly Step[]): Promise<ReadContext> {
  const first = await parseContext(whole.context);
  if (steps.length === 0) return { context: first as Context, contextText: () => decodeUtf8(whole.context), facts: whole.facts };
  const value = fold(first, steps);
  const written = value === undefined ? undefined : await writeAndDigest(value, whole.context.length, ports.digests);
  if (written?.digest !== wanted.exactDigest) {
    // Once more, slowly: the first that is not what was saved is the one that is damaged.
    let proven = first;
    for (const step of steps.toReversed()) proven = makeContext(ports.digests, proven, step);
    throw new WorkrailError("INTERNAL", `Checkpoint ${wanted.id} made two things of the same deltas.`);
  }
  const facts = steps.reduceRight<EnvelopeFacts>((base, { blob }) => completeFacts(blob.facts, base), whole.facts);
  return { context: value as Context, contextText: () => [...writtenTexts(written.json)].join(""), facts };
}

/** What is made from something large is probably large too. */
async function writeAndDigest(
  value: JsonValue,
  baseBytes: number,
  digests: Digester,
): Promise<{ readonly json: WrittenJson; readonly digest: Digest }> {
  if (baseBytes > LARGE_BYTES && digests.sha256OfParts !== undefined) {
    const json = writeJson(value);
    return { json, digest: await digests.sha256OfParts(utf8Parts(writtenTexts(json))) };
  }
  const json = JSON.stringify(value);
  return { json, digest: digests.sha256(json) };
}

/** `undefined` when a delta does not fit. */
function fold(whole: JsonValue, steps: readonly Step[]): JsonValue | undefined {
  try {
    return steps.reduceRight((value, { blob }) => applyDelta(value, blob.delta), whole);
  } catch (error) {
    if (isCorrupt(error)) return undefined;
    throw error;
  }
}

function isCorrupt(error: unknown): error is WorkrailError {
  return isWorkrailError(error) && error.code === "CHECKPOINT_CORRUPT";
}

function isRecord(at: Located): at is CheckpointRecord {
  return at.exactDigest !== undefined;
}

function unreadableBase(base: CheckpointId): WorkrailError {
  return corrupt(`The checkpoint it is stored against, ${base}, cannot be read.`);
}

/** One that was removed has no record that could be marked, and nobody asks for it: what is stored against it cannot be read. */
function blame(at: Located, message: string, cause?: unknown): WorkrailError {
  if (!isRecord(at)) return unreadableBase(at.id);
  const error = corrupt(message, cause);
  culprits.set(error, at);
  return error;
}

function corrupt(message: string, cause?: unknown, details: WorkrailError["details"] = {}): WorkrailError {
  return new WorkrailError("CHECKPOINT_CORRUPT", message, { details, ...(cause === undefined ? {} : { cause }) });
}
