import { WorkrailError } from "../errors.ts";
import { type Context, isJsonObject } from "../model/context.ts";
import type { Digest } from "../model/ids.ts";
import type { Limits } from "../model/limits.ts";
import { encodeUtf8 } from "../platform.ts";
import type { Digester } from "../ports/environment.ts";
import { canonicalJson } from "./canonical-json.ts";
import { checkJson } from "./check-json.ts";

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
  if (!isJsonObject(context)) {
    throw new WorkrailError("INVALID_INPUT", "context must be a JSON object.", {
      details: { field: "context" },
      hint: "Put what you want to keep under keys of one object.",
    });
  }
  const { isCanonical } = checkJson(context, limits);
  const bytes = encodeUtf8(stringify(context, limits));
  if (bytes.length > limits.maxContextBytes) throw tooLarge(bytes.length, limits);
  const exactDigest = digests.sha256(bytes);
  return {
    bytes,
    exactDigest,
    canonicalDigest: isCanonical ? exactDigest : digests.sha256(canonicalJson(context)),
  };
}

function stringify(context: Context, limits: Limits): string {
  try {
    return JSON.stringify(context);
  } catch (cause) {
    // The engine's longest string is the only thing left that can fail here.
    throw tooLarge(undefined, limits, cause);
  }
}

function tooLarge(contextBytes: number | undefined, limits: Limits, cause?: unknown): WorkrailError {
  const { maxContextBytes } = limits;
  return new WorkrailError("TOO_LARGE", `The context is larger than ${maxContextBytes} bytes of JSON.`, {
    details: { limit: "maxContextBytes", maxContextBytes, contextBytes },
    hint: "Keep large files outside of the context and save their paths.",
    cause,
  });
}
