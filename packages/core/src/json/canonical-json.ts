import type { JsonValue } from "../model/context.ts";

/**
 * Canonical JSON (RFC 8785, JCS): no white space, members sorted by their keys' UTF-16 code units,
 * numbers and strings as ECMAScript writes them. Beyond the RFC, which refuses them, a lone
 * surrogate is written as its escape (`\ud800`), as `JSON.stringify` does.
 *
 * The value must have passed `checkJson`: recursion is bounded by its depth limit.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isArray(value)) {
    let text = "[";
    for (let index = 0; index < value.length; index++) {
      text += (index === 0 ? "" : ",") + canonicalJson(value[index] as JsonValue);
    }
    return `${text}]`;
  }
  // Sorting strings compares UTF-16 code units. Integer-like keys too: an object cannot hold them in that order.
  let text = "{";
  for (const key of Object.keys(value).sort()) {
    text += `${text === "{" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(value[key] as JsonValue)}`;
  }
  return `${text}}`;
}

/** `Array.isArray` narrows a readonly array to `any[]`. */
function isArray(value: JsonValue & object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
