import { applyDelta } from "../../delta/apply-delta.ts";
import { decodeBlob, type DecodedBlob, type DeltaBlob, type WholeBlob } from "../../envelope/envelope.ts";
import { completeFacts, type DeltaFacts, type EnvelopeFacts } from "../../envelope/envelope-json.ts";
import { isWorkrailError, WorkrailError } from "../../errors.ts";
import { parseContext } from "../../json/parse-bytes.ts";
import type { RecentJson } from "../../json/recent-json.ts";
import { decodeUtf8, LARGE_BYTES, utf8Parts } from "../../json/utf8.ts";
import { writeJson, type WrittenJson, writtenTexts } from "../../json/write-json.ts";
import type { CheckpointFacts, CheckpointRecord } from "../../model/checkpoint.ts";
import type { Context, JsonValue } from "../../model/context.ts";
import type { BlobRef, CheckpointId, Digest, SessionId } from "../../model/ids.ts";
import type { Limits } from "../../model/limits.ts";
import type { BlobStore } from "../../ports/blob-store.ts";
import type { Codec } from "../../ports/codec.ts";
import type { Digester } from "../../ports/environment.ts";
import { getBlob } from "./get-blob.ts";
import { findCheckpoint } from "../../catalog/queries/query-checkpoints.ts";
import type { CatalogPort } from "../../catalog/catalog-port.ts";

export interface ReadPorts {
  readonly catalog: CatalogPort;
  readonly blobs: BlobStore;
  readonly codec: Codec;
  readonly digests: Digester;
  readonly limits: Pick<Limits, "maxContextBytes">;
}

export interface ReadContext {
  readonly context: Context;
  /** Returns the JSON text, byte for byte as saved. */
  contextText(): string;
  /** Facts in the blob, completed from its bases. */
  readonly facts: EnvelopeFacts;
}

/** A context as its JSON text, which is parsed on demand. */
export interface ReadText extends Omit<ReadContext, "context"> {
  /** Checkpoint that the blob is a delta of; `null` for a whole one. */
  readonly baseId: CheckpointId | null;
  /** Returns the parsed context, the same one each time. */
  readonly value: () => Promise<JsonValue>;
}

export interface ReadOptions {
  /** Ids of checkpoints known to be unreadable; deltas of them are too. */
  readonly unreadable?: { has(id: CheckpointId): boolean } | undefined;
  /** Checkpoints that were read before. Their deltas are applied to them, and they are not read again. */
  readonly known?: ReadonlyMap<CheckpointId, ReadText> | undefined;
  /** Caches the JSON of the checkpoint that was read last: parts that did not change are not written again. Default: no cache. */
  readonly recentJson?: RecentJson | undefined;
}

/** A checkpoint, or a removed one. A removed checkpoint has no record, but its blob stays in its place while something needs it. */
type Located =
  | CheckpointRecord
  | { readonly id: CheckpointId; readonly blob: BlobRef; readonly exactDigest?: never; readonly sessionId?: never };

/** Delta on the path from a checkpoint to a whole one. */
interface Step {
  readonly at: Located;
  readonly blob: DeltaBlob;
}

/** Maps an error to the checkpoint whose own bytes are wrong: the requested one, or one of its bases. */
const culprits = new WeakMap<WorkrailError, CheckpointRecord>();

/**
 * Reads a checkpoint's context, following its bases to the first whole one. Verifies the result against the digest of the record;
 * intermediate results need no verification.
 *
 * @throws CHECKPOINT_CORRUPT, UNSUPPORTED_VERSION, TOO_LARGE, STORAGE_UNAVAILABLE
 */
export async function readContext(
  ports: ReadPorts,
  record: CheckpointRecord,
  unreadable?: ReadOptions["unreadable"],
): Promise<ReadContext> {
  const read = await readText(ports, record, { unreadable });
  return { ...read, context: (await read.value()) as Context };
}

/** Reads a context as `readContext` does, but leaves a text unparsed unless its value is needed. */
export async function readText(ports: ReadPorts, record: CheckpointRecord, options: ReadOptions = {}): Promise<ReadText> {
  const inPlace = (id: CheckpointId): Located => ({ id, blob: ports.blobs.refOf({ sessionId: record.sessionId, checkpointId: id }) });
  try {
    // Needs no records of the bases: the digest of the wanted record proves the context, and its other fields the facts from the bases.
    const read = await readAlong(ports, record, { ...options, locate: async (base) => inPlace(base) });
    if (read.baseId === null || differenceOf(record, read.facts) === undefined) return read;
  } catch (error) {
    if (!isCorrupt(error)) throw error;
  }
  // Only the record of a base tells whether its own bytes are wrong.
  const locate = async (id: CheckpointId): Promise<Located> => {
    const base = await findCheckpoint(ports.catalog, id);
    // The bytes of the delta may be right; it is readable again once its base is.
    if (base?.damaged === true) throw unreadableBase(id);
    return base ?? inPlace(id);
  };
  // A base may have been erased, and another one saved under its id, since it was read.
  return readAlong(ports, record, { ...options, known: undefined, locate });
}

async function readAlong(
  ports: ReadPorts,
  record: CheckpointRecord,
  { unreadable, known, recentJson, locate }: ReadOptions & { readonly locate: (base: CheckpointId) => Promise<Located> },
): Promise<ReadText> {
  const steps: Step[] = [];
  const seen = new Set<CheckpointId>();
  for (let at: Located = record; ;) {
    seen.add(at.id);
    const blob: DecodedBlob = await readBlob(ports, at);
    if (blob.kind === "whole") return rebuild(ports, record, { base: textOf(blob), steps, recentJson });
    steps.push({ at, blob });
    const read = known?.get(blob.base);
    if (read !== undefined) return rebuild(ports, record, { base: read, steps, recentJson });
    if (seen.has(blob.base)) throw blame(at, "It is its own delta base.");
    if (unreadable?.has(blob.base) === true) throw unreadableBase(blob.base);
    at = await locate(blob.base);
  }
}

function textOf({ context, facts }: WholeBlob): ReadText {
  let value: Promise<JsonValue> | undefined;
  return { contextText: () => decodeUtf8(context), value: () => (value ??= parseContext(context)), facts, baseId: null };
}

/**
 * Returns the record of the checkpoint whose bytes a failed `readContext` proved wrong. `undefined` for other failures, such as a
 * missing base: the requested checkpoint is then unreadable, but its own bytes may be right.
 */
export function damagedBytesOf(error: unknown): CheckpointRecord | undefined {
  return isWorkrailError(error) ? culprits.get(error) : undefined;
}

/**
 * Reads a checkpoint's own blob, and verifies as much as is possible without its bases.
 *
 * @throws CHECKPOINT_CORRUPT, UNSUPPORTED_VERSION, TOO_LARGE, STORAGE_UNAVAILABLE
 */
export async function readBlob(ports: Omit<ReadPorts, "catalog">, at: Located): Promise<DecodedBlob> {
  if (isRecord(at) && at.damaged) throw corrupt("It was found damaged earlier; its damaged file is in quarantine.");
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
  // The file is valid and in its place, so the record may be the wrong one: the file must not be quarantined.
  const sessionId = decoded.kind === "whole" ? decoded.facts.sessionId : at.sessionId;
  if (sessionId !== undefined && ports.blobs.refOf({ sessionId, checkpointId: decoded.facts.id }) === at.blob) {
    throw corrupt("Its file is intact, but differs from the catalog's record.", undefined, { reason: RECORD_DIFFERS });
  }
  throw blame(at, "Its file contains another checkpoint.");
}

/** True when a failed read found a valid file that contradicts its record. A rebuild resolves this. */
export function isRecordInDoubt(error: WorkrailError): boolean {
  return error.details["reason"] === RECORD_DIFFERS;
}

const RECORD_DIFFERS = "record-differs";

/**
 * Applies a delta to the context of its base.
 *
 * @throws CHECKPOINT_CORRUPT when the result differs from the saved context; if the base is right, the delta is wrong.
 */
function makeContext(digests: Digester, base: JsonValue, { at, blob }: Step): JsonValue {
  try {
    const value = applyDelta(base, blob.delta);
    if (digests.sha256(JSON.stringify(value)) === blob.facts.exactDigest) return value;
  } catch (error) {
    throw isCorrupt(error) ? blame(at, error.message, error) : error;
  }
  throw blame(at, "The content of its delta does not match its digest.");
}

async function rebuild(
  ports: ReadPorts,
  wanted: CheckpointRecord,
  { base, steps, recentJson }: Pick<ReadOptions, "recentJson"> & { readonly base: ReadText; readonly steps: readonly Step[] },
): Promise<ReadText> {
  const [own] = steps;
  if (own === undefined) return base;
  const first = await base.value();
  const value = fold(first, steps);
  const written = value === undefined ? undefined : await textAndDigest(value, wanted, { digests: ports.digests, recentJson });
  if (value === undefined || written?.digest !== wanted.exactDigest) {
    // Repeats the work step by step: the first result with a wrong digest shows the damaged delta.
    let proven = first;
    for (const step of steps.toReversed()) proven = makeContext(ports.digests, proven, step);
    throw new WorkrailError("INTERNAL", `Checkpoint ${wanted.id} was decoded to two different contexts from the same deltas.`);
  }
  const facts = steps.reduceRight<EnvelopeFacts>((before, { blob }) => completeFacts(blob.facts, before), base.facts);
  return { value: async () => value, contextText: written.text, facts, baseId: own.blob.base };
}

/** Writes the context of a checkpoint as its exact JSON, and digests that. */
export async function textAndDigest(
  value: JsonValue,
  { sessionId, contextBytes }: CheckpointRecord,
  { digests, recentJson }: Pick<ReadOptions, "recentJson"> & Pick<ReadPorts, "digests">,
): Promise<{ readonly digest: Digest; readonly text: () => string }> {
  const recent = recentJson?.write(sessionId, value, contextBytes);
  if (recent !== undefined) return { digest: digests.sha256(recent.exact), text: () => decodeUtf8(recent.exact) };
  const { digest, json } = await writeAndDigest(value, contextBytes, digests);
  return { digest, text: () => [...writtenTexts(json)].join("") };
}

async function writeAndDigest(
  value: JsonValue,
  sizeBytes: number,
  digests: Digester,
): Promise<{ readonly json: WrittenJson; readonly digest: Digest }> {
  const json = writeJson(value);
  if (sizeBytes > LARGE_BYTES && digests.sha256OfParts !== undefined) {
    return { json, digest: await digests.sha256OfParts(utf8Parts(writtenTexts(json))) };
  }
  const text = [...writtenTexts(json)].join("");
  return { json: text, digest: digests.sha256(text) };
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

/** True when the error proves that bytes of a checkpoint are wrong or missing. */
export function isCorrupt(error: unknown): error is WorkrailError {
  return isWorkrailError(error) && error.code === "CHECKPOINT_CORRUPT";
}

function isRecord(at: Located): at is CheckpointRecord {
  return at.exactDigest !== undefined;
}

function unreadableBase(base: CheckpointId): WorkrailError {
  return corrupt(`Its base checkpoint ${base} cannot be read.`);
}

/**
 * Returns the error that blames a checkpoint. A removed checkpoint has no record to mark; then the error only says that its
 * deltas are unreadable.
 */
function blame(at: Located, message: string, cause?: unknown): WorkrailError {
  if (!isRecord(at)) return unreadableBase(at.id);
  const error = corrupt(message, cause);
  culprits.set(error, at);
  return error;
}

function corrupt(message: string, cause?: unknown, details: WorkrailError["details"] = {}): WorkrailError {
  return new WorkrailError("CHECKPOINT_CORRUPT", message, { details, ...(cause === undefined ? {} : { cause }) });
}

const FACTS = [
  "sessionId",
  "parentId",
  "kind",
  "createdAt",
  "agentId",
  "workflowId",
  "project",
  "name",
  "tags",
  "attributes",
  "contextBytes",
  "layers",
  "writer",
] as const satisfies readonly (keyof CheckpointFacts)[];

/** Returns the first fact in which record and file disagree. Digests are compared when the file is read. */
export function differenceOf(record: CheckpointRecord, facts: EnvelopeFacts): string | undefined {
  return FACTS.find((fact) => JSON.stringify(record[fact]) !== JSON.stringify(facts[fact]));
}

/**
 * Reads the facts of a blob and completes them from its bases, without using records.
 *
 * @throws CHECKPOINT_CORRUPT when one of the blobs is missing or damaged; UNSUPPORTED_VERSION, TOO_LARGE, STORAGE_UNAVAILABLE.
 */
export async function readFacts(ports: Omit<ReadPorts, "catalog">, sessionId: SessionId, blob: DecodedBlob): Promise<EnvelopeFacts> {
  const deltas: DeltaFacts[] = [];
  const seen = new Set<CheckpointId>();
  let at = blob;
  while (at.kind === "delta") {
    deltas.push(at.facts);
    if (seen.has(at.base)) throw unreadableBase(at.base);
    seen.add(at.base);
    const bytes = await ports.blobs.get(ports.blobs.refOf({ sessionId, checkpointId: at.base }));
    if (bytes === undefined) throw unreadableBase(at.base);
    at = await decodeBlob(ports, bytes);
  }
  return deltas.reduceRight<EnvelopeFacts>((base, own) => completeFacts(own, base), at.facts);
}
