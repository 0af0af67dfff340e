import { invalidInput, WorkrailError } from "../errors.ts";
import { type Context, isJsonObject } from "../model/context.ts";
import type { Digest } from "../model/ids.ts";
import type { Limits } from "../model/limits.ts";
import { decodeUtf8, encodeUtf8, LARGE_BYTES, SHORT_TEXT, utf8Of, utf8Parts } from "./utf8.ts";
import type { Digester } from "../ports/environment.ts";
import type { JsonBytes, RecentJson } from "./recent-json.ts";
import { canonicalTexts, canonicalUtf8, writeJson, type WrittenJson, writtenTexts } from "./write-json.ts";
import { checkJson, copyOf, type JsonCheck } from "./check-json.ts";
import { parseJson } from "./parse-json.ts";

export interface DigestPorts {
  readonly limits: Limits;
  readonly digests: Digester;
}

export interface CapturePorts extends DigestPorts {
  /** Default: each context is written anew. */
  readonly recentJson?: RecentJson | undefined;
}

/** Context ready to be stored: checked, written as JSON once, and digested. */
export interface PreparedContext {
  /** UTF-8 of the JSON text, in the key order given. */
  readonly bytes: Uint8Array;
  readonly exactDigest: Digest;
  readonly canonicalDigest: Digest;
}

/**
 * Checks, writes and digests a context.
 *
 * @throws INVALID_INPUT when the value is not a JSON object or breaks a rule of `checkJson`; TOO_LARGE over `maxContextBytes`.
 */
export function prepareContext(context: unknown, limits: Limits, digests: Digester): PreparedContext {
  const checked = checkContext(context, limits);
  return prepareText(checked, writeText(checked, limits), { limits, digests });
}

/** Context that passed `checkContext`, without members that were `undefined`. */
export interface CheckedContext extends JsonCheck {
  readonly context: Context;
}

/**
 * Checks that a value is a JSON object within the limits of `checkJson`.
 *
 * @throws INVALID_INPUT as `prepareContext`.
 */
export function checkContext(context: unknown, limits: Limits): CheckedContext {
  if (!isJsonObject(context)) {
    throw invalidInput("context", "context must be a JSON object.", "Put what you want to keep under keys of one object.");
  }
  const check = checkJson(context, limits);
  return { context: check.hasUndefined ? (copyOf(context) as Context) : context, ...check };
}

/**
 * Checks and copies a context, so that later changes by the caller have no effect. Texts are shared, so that a copy of many
 * megabytes takes little memory.
 *
 * @throws as `prepareContext`, except TOO_LARGE.
 */
export function ownContext(given: unknown, limits: Limits): Context {
  return copyOf(checkContext(given, limits).context) as Context;
}

/**
 * Writes the JSON text in one go.
 *
 * @throws TOO_LARGE, except for texts that only exceed the limit as UTF-8.
 */
export function writeText({ context }: CheckedContext, limits: Limits): string {
  const text = written(() => JSON.stringify(context), limits);
  // A text never has fewer UTF-8 bytes than UTF-16 units.
  if (text.length > limits.maxContextBytes) throw tooLarge(text.length, limits);
  return text;
}

/** Encodes and digests the text in one go. Call it before the caller can change the context. */
export function prepareText(checked: Pick<CheckedContext, "context" | "isCanonical">, text: string, ports: DigestPorts): PreparedContext {
  return contentOf(encoded(checked, encodeUtf8(text)), ports);
}

interface EncodedJson extends JsonBytes {
  readonly isCanonical: boolean;
}

function encoded({ context, isCanonical }: Pick<CheckedContext, "context" | "isCanonical">, exact: Uint8Array): EncodedJson {
  return { isCanonical, exact, parts: [exact], canonical: () => canonicalUtf8(context, exact.length) };
}

/** Digests the JSON of a context. Call it before the caller can change the context. */
function contentOf(
  { isCanonical, exact, parts, canonical }: EncodedJson,
  { limits, digests }: DigestPorts,
): PreparedContext & SavedContent {
  if (exact.length > limits.maxContextBytes) throw tooLarge(exact.length, limits);
  const exactDigest = digests.sha256(exact);
  return {
    bytes: exact,
    sizeBytes: exact.length,
    exactDigest,
    canonicalDigest: isCanonical ? exactDigest : digests.sha256(canonical()),
    texts: () => [decodeUtf8(exact)],
    parts: () => parts,
  };
}

/** Runs `write` and maps its failure to TOO_LARGE: only the engine's longest string can be exceeded here. */
function written<T>(write: () => T, limits: Limits): T {
  try {
    return write();
  } catch (cause) {
    throw tooLarge(undefined, limits, cause);
  }
}

export function tooLarge(contextBytes: number | undefined, limits: Limits, cause?: unknown): WorkrailError {
  const { maxContextBytes } = limits;
  return new WorkrailError("TOO_LARGE", `The context is larger than ${maxContextBytes} bytes of JSON.`, {
    details: { limit: "maxContextBytes", maxContextBytes, contextBytes },
    hint: "Save the paths of large files instead.",
    cause,
  });
}

/** Content of a context to be saved: its JSON text in the given key order, and its digests. */
export interface SavedContent {
  readonly sizeBytes: number;
  readonly exactDigest: Digest;
  readonly canonicalDigest: Digest;
  /** Yields the JSON text in parts of any size. */
  texts(): Iterable<string>;
  /** Yields the UTF-8 bytes, encoded on demand. */
  parts(): Iterable<Uint8Array>;
}

/**
 * Captures a context, so that later changes by the caller have no effect. Digests a large context later, in turns, when the
 * result is called.
 *
 * @param session key under which the context's parts are kept for the next call.
 * @throws TOO_LARGE, also from the result.
 */
export function captureContext(checked: CheckedContext, ports: CapturePorts, session: string): () => Promise<SavedContent> {
  const { limits } = ports;
  const { context, characters } = checked;
  const recent = ports.recentJson?.write(session, context, characters);
  if (recent !== undefined) {
    const content = contentOf({ ...checked, ...recent }, ports);
    return async () => content;
  }
  const json = written((): WrittenJson => (characters > SHORT_TEXT ? writeJson(context) : JSON.stringify(context)), limits);
  const digestInTurns = ports.digests.sha256OfParts;
  if (digestInTurns !== undefined && lengthOf(json) > LARGE_BYTES) {
    return () => captureLarge({ ...checked, json }, limits, digestInTurns);
  }
  const content = contentOf(encoded(checked, utf8Of(writtenTexts(json))), ports);
  return async () => content;
}

/** Captures a context from its JSON text, after the text was changed since the check. */
export async function captureText(text: string, ports: DigestPorts): Promise<SavedContent> {
  const isCanonical = false;
  const { sha256OfParts } = ports.digests;
  if (text.length > LARGE_BYTES && sha256OfParts !== undefined)
    return captureLarge({ json: text, isCanonical }, ports.limits, sha256OfParts);
  return contentOf(encoded({ context: parseJson(text) as Context, isCanonical }, encodeUtf8(text)), ports);
}

function lengthOf(json: WrittenJson): number {
  let characters = 0;
  for (const { length } of writtenTexts(json)) characters += length;
  return characters;
}

async function captureLarge(
  { json, isCanonical }: { readonly json: WrittenJson; readonly isCanonical: boolean },
  limits: Limits,
  sha256OfParts: NonNullable<Digester["sha256OfParts"]>,
): Promise<SavedContent> {
  let sizeBytes = 0;
  const parts = (): Generator<Uint8Array> => utf8Parts(writtenTexts(json));
  const counted = function* (): Generator<Uint8Array> {
    for (const part of parts()) {
      sizeBytes += part.length;
      yield part;
    }
  };
  const exactDigest = await sha256OfParts(counted());
  if (sizeBytes > limits.maxContextBytes) throw tooLarge(sizeBytes, limits);
  const canonicalDigest = isCanonical ? exactDigest : await sha256OfParts(utf8Parts(canonicalTexts(json)));
  return { sizeBytes, exactDigest, canonicalDigest, texts: () => writtenTexts(json), parts };
}
