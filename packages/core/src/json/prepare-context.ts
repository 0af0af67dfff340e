import { WorkrailError } from "../errors.ts";
import { type Context, isJsonObject } from "../model/context.ts";
import type { Digest } from "../model/ids.ts";
import type { Limits } from "../model/limits.ts";
import { encodeUtf8 } from "../platform.ts";
import type { Digester } from "../ports/environment.ts";
import { canonicalJson } from "./canonical-json.ts";
import { checkJson, type JsonCheck } from "./check-json.ts";
import { copyOf } from "./with-members.ts";

/** A context made ready to be stored: checked, written as JSON once, and digested. */
export interface PreparedContext {
  /** UTF-8 of the JSON text, in the key order given. */
  readonly bytes: Uint8Array;
  readonly exactDigest: Digest;
  readonly canonicalDigest: Digest;
}

/**
 * @throws INVALID_INPUT when the value is not a JSON object or breaks a rule of `checkJson`; TOO_LARGE over `maxContextBytes`.
 */
export function prepareContext(context: unknown, limits: Limits, digests: Digester): PreparedContext {
  const checked = checkContext(context, limits);
  return prepareText(checked, writeText(checked, limits), limits, digests);
}

/** A context that was found to be what JSON can say. Members that were `undefined` are gone. */
export interface CheckedContext extends JsonCheck {
  readonly context: Context;
}

/** @throws INVALID_INPUT as `prepareContext`; TOO_LARGE where it shows before anything is written. */
export function checkContext(context: unknown, limits: Limits): CheckedContext {
  if (!isJsonObject(context)) {
    throw new WorkrailError("INVALID_INPUT", "context must be a JSON object.", {
      details: { field: "context" },
      hint: "Put what you want to keep under keys of one object.",
    });
  }
  const check = checkJson(context, limits);
  return { context: check.hasUndefined ? (copyOf(context) as Context) : context, ...check };
}

/** Its JSON in one go. @throws TOO_LARGE, but for texts that only grow over the limit as UTF-8. */
export function writeText({ context }: CheckedContext, limits: Limits): string {
  const text = written(() => JSON.stringify(context), limits);
  // No text has fewer bytes than characters.
  if (text.length > limits.maxContextBytes) throw tooLarge(text.length, limits);
  return text;
}

/** Digests it in one go. To be called before anybody can have changed the context. */
export function prepareText(
  { context, isCanonical }: Pick<CheckedContext, "context" | "isCanonical">,
  text: string,
  limits: Limits,
  digests: Digester,
): PreparedContext {
  const bytes = encodeUtf8(text);
  if (bytes.length > limits.maxContextBytes) throw tooLarge(bytes.length, limits);
  const exactDigest = digests.sha256(bytes);
  return {
    bytes,
    exactDigest,
    canonicalDigest: isCanonical ? exactDigest : digests.sha256(canonicalJson(context)),
  };
}

/** @throws TOO_LARGE where the engine's longest string is the limit: nothing else can fail here. */
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
