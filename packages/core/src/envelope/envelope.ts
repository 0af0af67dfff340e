import { WorkrailError } from "../errors.ts";
import type { Delta } from "../delta/delta.ts";
import type { CheckpointFacts } from "../model/checkpoint.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/context.ts";
import type { CheckpointId, Digest } from "../model/ids.ts";
import { parseJson } from "../json/parse-json.ts";
import { byteParts, decodeUtf8, encodeUtf8, joinBytes, LARGE_BYTES } from "../json/utf8.ts";
import type { Digester } from "../ports/environment.ts";
import {
  baseOf,
  corrupt,
  type DeltaFacts,
  type EnvelopeFacts,
  type EnvelopeFields,
  fromDeltaJson,
  fromJson,
  fromWholeJson,
  parseFacts,
  toDeltaJson,
  toJson,
  tooNew,
} from "./envelope-json.ts";
import type { SavedContent } from "../json/saved-content.ts";
import type { Codec } from "../ports/codec.ts";
import type { Limits } from "../model/limits.ts";
import { refuseObjectPointer } from "../object-pointer.ts";

/*
 * A blob, before its codec, consists of two lines that together are one JSON object:
 *
 *   {"workrail":1,"check":"<start of the SHA-256 of the envelope's text>","envelope":{...},
 *   "context":{...}}
 *
 * or, as a delta, without the facts shared with its base:
 *
 *   {"workrail":2,"check":"<start of the SHA-256 of the rest of the line>","id":...,"base":"<checkpoint id>",...,
 *   "delta":{...}}
 *
 * `zcat` shows readable text, any JSON parser reads it, and this reader can digest and parse the context's exact text without
 * copying it. Deltas of the first format have a complete envelope with `"base":"<checkpoint id>"` in it.
 * docs/reference/on-disk-format.md is the complete description.
 */

const WHOLE_FORMAT = 1;
/** Newest known format. */
const DELTA_FORMAT = 2;
const NEWLINE = 0x0a;
const CHECK = `"check":"`;
const ENVELOPE = `,"envelope":`;
const CONTEXT = encodeUtf8(`"context":`);
const DELTA = encodeUtf8(`"delta":`);
const TAIL = encodeUtf8("}\n");
/**
 * Hexadecimal digits of the check. It detects accidents that the codec's checksum misses. The result of a delta is also proven by
 * its digest.
 */
const CHECK_LENGTH = 16;
const DELTA_CHECK_LENGTH = 8;

/** Most bytes that an envelope adds to a context: room for the longest names, tags and attributes, escaped. */
export const MAX_ENVELOPE_BYTES: number = 1024 * 1024;

export type DecodedBlob = WholeBlob | DeltaBlob;

export interface WholeBlob {
  readonly kind: "whole";
  readonly facts: CheckpointFacts;
  /** UTF-8 of the context's JSON as it was digested. Proven to match `facts.exactDigest`. */
  readonly context: Uint8Array;
}

/** Checkpoint stored as a delta against another one. Only the resulting context can be verified against `facts.exactDigest`. */
export interface DeltaBlob {
  readonly kind: "delta";
  readonly facts: DeltaFacts;
  readonly base: CheckpointId;
  readonly delta: JsonValue;
}

/** Encodes a whole checkpoint, before its codec. `context` must be the bytes with the digest `facts.exactDigest`. */
export function encodeEnvelope(facts: CheckpointFacts, context: Uint8Array, digests: Digester): Uint8Array {
  return joinBytes([...envelopeParts(facts, [context], digests)]);
}

/** Verifies that an envelope can be read back before it is written and acknowledged. */
function readable(envelope: EnvelopeFields): EnvelopeFields {
  try {
    fromJson(envelope);
    return envelope;
  } catch (cause) {
    throw new WorkrailError("INTERNAL", "The checkpoint could not be read back, and was not written.", { cause });
  }
}

/** Works like `encodeEnvelope` for a context that comes in parts. */
function* envelopeParts(facts: CheckpointFacts, context: Iterable<Uint8Array>, digests: Digester): Generator<Uint8Array> {
  const envelope = JSON.stringify(readable(toJson(facts)));
  yield encodeUtf8(`{"workrail":${WHOLE_FORMAT},${CHECK}${checkOf(envelope, digests, CHECK_LENGTH)}"${ENVELOPE}${envelope},\n`);
  yield CONTEXT;
  yield* context;
  yield TAIL;
}

interface DeltaToEncode {
  readonly facts: CheckpointFacts;
  /** Facts in the base's own blob: a reader takes the omitted facts from there. */
  readonly base: EnvelopeFacts;
  readonly delta: Delta;
}

/** Encodes a checkpoint as a delta against another one of its session, before its codec. */
export function encodeDelta({ facts, base, delta }: DeltaToEncode, digests: Digester): Uint8Array {
  const said = JSON.stringify(toDeltaJson(facts, base)).slice(1, -1);
  const header = `{"workrail":${DELTA_FORMAT},${CHECK}${checkOf(said, digests, DELTA_CHECK_LENGTH)}",${said},\n`;
  return joinBytes([encodeUtf8(header), DELTA, encodeUtf8(JSON.stringify(delta)), TAIL]);
}

/**
 * Decodes a blob after its codec, and verifies the envelope's check and the context's digest.
 *
 * @throws CHECKPOINT_CORRUPT when `encodeEnvelope` did not write it; UNSUPPORTED_VERSION when a newer version wrote it.
 */
export function decodeEnvelope(bytes: Uint8Array, digests: Digester): DecodedBlob {
  const opened = openEnvelope(bytes, digests);
  return opened.kind === "delta" ? opened : proven(opened, digests.sha256(opened.context));
}

/** Whole checkpoint whose context is not yet verified. */
interface OpenedBlob {
  readonly kind: "opened";
  readonly facts: CheckpointFacts;
  /** Bytes that must have the digest `facts.exactDigest`. */
  readonly context: Uint8Array;
}

/**
 * Reads the envelope, and the whole of a delta.
 *
 * @throws as `decodeEnvelope`.
 */
function openEnvelope(bytes: Uint8Array, digests: Digester): OpenedBlob | DeltaBlob {
  const lineEnd = bytes.indexOf(NEWLINE);
  if (lineEnd < 0) throw corrupt("has no envelope");
  const { format, envelope } = readHeader(bytes.subarray(0, lineEnd), digests);
  const payload = bytes.subarray(lineEnd + 1);
  const base = baseOf(envelope);
  if (base !== undefined) {
    const own = parseFacts(envelope, format === DELTA_FORMAT ? fromDeltaJson : fromWholeJson);
    return { kind: "delta", facts: own, base, delta: readDelta(payload) };
  }
  if (format === DELTA_FORMAT) throw corrupt("does not name its base");
  const facts = parseFacts(envelope, fromJson);
  const context = within(payload, CONTEXT, "has no context");
  if (context.length !== facts.contextBytes) throw corrupt("has no context");
  return { kind: "opened", facts: facts as CheckpointFacts, context };
}

/**
 * Verifies the digest of the context.
 *
 * @throws CHECKPOINT_CORRUPT when the digest differs from `facts.exactDigest`.
 */
function proven({ facts, context }: OpenedBlob, digest: Digest): WholeBlob {
  if (digest !== facts.exactDigest) throw corrupt("does not match its digest");
  return { kind: "whole", facts, context };
}

function readDelta(payload: Uint8Array): JsonValue {
  const bytes = within(payload, DELTA, "has no delta");
  try {
    return parseJson(decodeUtf8(bytes));
  } catch (cause) {
    throw corrupt("has an unreadable delta", cause);
  }
}

/** Returns the bytes between a member's name and the end of the blob. */
function within(payload: Uint8Array, member: Uint8Array, fault: string): Uint8Array {
  const end = payload.length - TAIL.length;
  if (end < member.length || !holdsAt(payload, 0, member) || !holdsAt(payload, end, TAIL)) throw corrupt(fault);
  return payload.subarray(member.length, end);
}

function holdsAt(bytes: Uint8Array, offset: number, part: Uint8Array): boolean {
  return part.every((byte, index) => bytes[offset + index] === byte);
}

function readHeader(line: Uint8Array, digests: Digester): { readonly format: number; readonly envelope: JsonObject } {
  let text: string;
  let header: unknown;
  try {
    text = decodeUtf8(line);
    header = parseJson(text.endsWith(",") ? `${text.slice(0, -1)}}` : text);
  } catch (cause) {
    throw corrupt("has an unreadable envelope", cause);
  }
  if (!isJsonObject(header) || typeof header["workrail"] !== "number") throw corrupt("is not a checkpoint");
  const { workrail: format, check, ...said } = header;
  if (format > DELTA_FORMAT) throw tooNew(`format ${format}`);
  const envelope = format === DELTA_FORMAT ? said : said["envelope"];
  if (!isJsonObject(envelope)) throw corrupt("has no envelope");
  if (check !== checkOfLine(text, format, digests)) throw corrupt("has an envelope that does not match its check");
  return { format, envelope };
}

function checkOfLine(line: string, format: number, digests: Digester): string {
  if (format !== DELTA_FORMAT) return checkOf(line.slice(line.indexOf(ENVELOPE) + ENVELOPE.length, -1), digests, CHECK_LENGTH);
  const from = line.indexOf(CHECK) + CHECK.length + DELTA_CHECK_LENGTH + `",`.length;
  return checkOf(line.slice(from, -1), digests, DELTA_CHECK_LENGTH);
}

/** Returns the first digits of a digest: enough to detect damage. */
export function checkOf(said: string, digests: Digester, length: number): string {
  return digests.sha256(said).slice(0, length);
}

/** Encodes a whole checkpoint for storage. A large one is encoded in turns and never in memory as a whole. */
export async function encodeBlob(
  { codec, digests }: { readonly codec: Codec; readonly digests: Digester },
  facts: CheckpointFacts,
  content: Pick<SavedContent, "sizeBytes" | "parts">,
): Promise<Uint8Array> {
  const parts = envelopeParts(facts, content.parts(), digests);
  if (content.sizeBytes > LARGE_BYTES && codec.encodeParts !== undefined) return codec.encodeParts(parts);
  const all = content.sizeBytes > LARGE_BYTES ? Array.from(parts, ownBytes) : [...parts];
  return codec.encodeReusing?.(all) ?? codec.encode(joinBytes(all));
}

/** Parts of a large content share one buffer. */
function ownBytes(part: Uint8Array): Uint8Array {
  return part.slice();
}

/**
 * Decodes a stored blob and verifies the digest of a whole checkpoint.
 *
 * @throws CHECKPOINT_CORRUPT, TOO_LARGE, UNSUPPORTED_VERSION, and STORAGE_UNAVAILABLE for a pointer to object storage
 */
export async function decodeBlob(
  ports: { readonly codec: Codec; readonly digests: Digester; readonly limits: Pick<Limits, "maxContextBytes"> },
  bytes: Uint8Array,
): Promise<DecodedBlob> {
  const { codec, digests, limits } = ports;
  refuseObjectPointer(bytes);
  const opened = openEnvelope(await codec.decode(bytes, limits.maxContextBytes + MAX_ENVELOPE_BYTES), digests);
  if (opened.kind === "delta") return opened;
  const { context } = opened;
  const isLarge = context.length > LARGE_BYTES && digests.sha256OfParts !== undefined;
  return proven(opened, isLarge ? await digests.sha256OfParts(byteParts(context)) : digests.sha256(context));
}
