import type { Delta } from "../delta/delta.ts";
import type { CheckpointFacts } from "../model/checkpoint.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/context.ts";
import type { CheckpointId } from "../model/ids.ts";
import { parseJson } from "../json/parse-json.ts";
import { decodeUtf8, encodeUtf8 } from "../platform.ts";
import type { Digester } from "../ports/environment.ts";
import { baseOf, corrupt, type EnvelopeFacts, fromJson, toJson, tooNew } from "./envelope-json.ts";

/*
 * A blob, before its codec, is two lines of JSON that are one JSON object together:
 *
 *   {"workrail":1,"check":"<start of the SHA-256 of the envelope's text>","envelope":{...},
 *   "context":{...}}
 *
 * or, compacted, with `"base":"<checkpoint id>"` in the envelope and
 *
 *   "delta":{...}}
 *
 * so that `zcat` shows something readable, any JSON parser reads it, and this reader can digest and parse the
 * context's exact text without writing it again. docs/reference/on-disk-format.md is the complete description.
 */

const FORMAT_VERSION = 1;
const NEWLINE = 0x0a;
const CHECK = `{"workrail":${FORMAT_VERSION},"check":"`;
const ENVELOPE = `,"envelope":`;
const CONTEXT = encodeUtf8(`"context":`);
const DELTA = encodeUtf8(`"delta":`);
const TAIL = encodeUtf8("}\n");
/** Hexadecimal digits: against accidents, beyond what the codec's own checksum finds. */
const CHECK_LENGTH = 16;

/** What an envelope adds to a context at most; room for the longest names, tags and attributes, escaped. */
export const MAX_ENVELOPE_BYTES: number = 1024 * 1024;

export type DecodedBlob = WholeBlob | DeltaBlob;

export interface WholeBlob {
  readonly kind: "whole";
  readonly facts: CheckpointFacts;
  /** The context's JSON, byte for byte as it was digested. Proven to match `facts.exactDigest`. */
  readonly contextText: string;
}

/** Says how the context is made from another checkpoint's. Only what is made can be proven against `facts.exactDigest`. */
export interface DeltaBlob {
  readonly kind: "delta";
  readonly facts: EnvelopeFacts;
  readonly base: CheckpointId;
  readonly delta: JsonValue;
}

/** The bytes of a whole checkpoint, before its codec. `context` must be the bytes behind `facts.exactDigest`. */
export function encodeEnvelope(facts: CheckpointFacts, context: Uint8Array, digests: Digester): Uint8Array {
  return join([header(JSON.stringify(toJson(facts)), digests), CONTEXT, context, TAIL]);
}

/** The bytes of a checkpoint that is kept as a delta against another, before its codec. */
export function encodeDelta(facts: CheckpointFacts, base: CheckpointId, delta: Delta, digests: Digester): Uint8Array {
  const payload = encodeUtf8(JSON.stringify(delta));
  return join([header(JSON.stringify(toJson(facts, base)), digests), DELTA, payload, TAIL]);
}

function header(envelope: string, digests: Digester): Uint8Array {
  return encodeUtf8(`${CHECK}${checkOf(envelope, digests)}"${ENVELOPE}${envelope},\n`);
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

/**
 * Reads a blob after its codec, and proves the envelope against its check and the context against its digest.
 *
 * @throws CHECKPOINT_CORRUPT when it is not what `encodeEnvelope` wrote; UNSUPPORTED_VERSION when a newer product wrote it.
 */
export function decodeEnvelope(bytes: Uint8Array, digests: Digester): DecodedBlob {
  const lineEnd = bytes.indexOf(NEWLINE);
  if (lineEnd < 0) throw corrupt("has no envelope");
  const envelope = readHeader(bytes.subarray(0, lineEnd), digests);
  const facts = fromJson(envelope);
  const base = baseOf(envelope);
  const payload = bytes.subarray(lineEnd + 1);
  if (base !== undefined) return { kind: "delta", facts, base, delta: readDelta(payload) };
  const context = within(payload, CONTEXT, "has no context");
  if (context.length !== facts.contextBytes) throw corrupt("has no context");
  if (digests.sha256(context) !== facts.exactDigest) throw corrupt("does not match its digest");
  return { kind: "whole", facts: facts as CheckpointFacts, contextText: decodeUtf8(context) };
}

function readDelta(payload: Uint8Array): JsonValue {
  const bytes = within(payload, DELTA, "has no delta");
  try {
    return parseJson(decodeUtf8(bytes));
  } catch (cause) {
    throw corrupt("has an unreadable delta", cause);
  }
}

/** What stands between a member's name and the end of the blob. */
function within(payload: Uint8Array, member: Uint8Array, fault: string): Uint8Array {
  const end = payload.length - TAIL.length;
  if (end < member.length || !holdsAt(payload, 0, member) || !holdsAt(payload, end, TAIL)) throw corrupt(fault);
  return payload.subarray(member.length, end);
}

function holdsAt(bytes: Uint8Array, offset: number, part: Uint8Array): boolean {
  return part.every((byte, index) => bytes[offset + index] === byte);
}

function readHeader(line: Uint8Array, digests: Digester): JsonObject {
  let text: string;
  let header: unknown;
  try {
    text = decodeUtf8(line);
    header = parseJson(text.endsWith(",") ? `${text.slice(0, -1)}}` : text);
  } catch (cause) {
    throw corrupt("has an unreadable envelope", cause);
  }
  if (!isJsonObject(header) || typeof header["workrail"] !== "number") throw corrupt("is not a checkpoint");
  if (header["workrail"] > FORMAT_VERSION) throw tooNew(`format ${header["workrail"]}`);
  const { envelope } = header;
  if (!isJsonObject(envelope)) throw corrupt("has no envelope");
  const envelopeText = text.slice(text.indexOf(ENVELOPE) + ENVELOPE.length, -1);
  if (checkOf(envelopeText, digests) !== header["check"]) throw corrupt("has an envelope that does not match its check");
  return envelope;
}

function checkOf(envelopeText: string, digests: Digester): string {
  return digests.sha256(envelopeText).slice(0, CHECK_LENGTH);
}
