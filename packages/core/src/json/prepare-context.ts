import { WorkrailError, invalidInput } from "../errors.ts";
import { type Context, isJsonObject } from "../model/context.ts";
import type { Digest } from "../model/ids.ts";
import type { Limits } from "../model/limits.ts";
import { encodeUtf8 } from "../platform.ts";
import type { Digester } from "../ports/environment.ts";
import { canonicalUtf8 } from "./canonical-json.ts";
import { checkJson, type JsonCheck } from "./check-json.ts";
import { copyOf } from "./with-members.ts";

export interface DigestPorts {
  readonly limits: Limits;
  readonly digests: Digester;
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

/** Encodes and digests the text in one go. Call it before anybody can have changed the context. */
export function prepareText(checked: Pick<CheckedContext, "context" | "isCanonical">, text: string, ports: DigestPorts): PreparedContext {
  return prepareBytes(checked, encodeUtf8(text), ports);
}

/** Digests a context whose JSON text is encoded. Call it before anybody can have changed the context. */
export function prepareBytes(
  { context, isCanonical }: Pick<CheckedContext, "context" | "isCanonical">,
  bytes: Uint8Array,
  { limits, digests }: DigestPorts,
): PreparedContext {
  if (bytes.length > limits.maxContextBytes) throw tooLarge(bytes.length, limits);
  const exactDigest = digests.sha256(bytes);
  return {
    bytes,
    exactDigest,
    canonicalDigest: isCanonical ? exactDigest : digests.sha256(canonicalUtf8(context, bytes.length)),
  };
}

/** Runs `write` and maps its failure to TOO_LARGE: only the engine's longest string can be exceeded here. */
export function written<T>(write: () => T, limits: Limits): T {
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
    hint: "Keep large files outside of the context and save their paths.",
    cause,
  });
}
