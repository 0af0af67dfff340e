import type { JsonValue } from "../model/context.ts";

/**
 * Writes canonical JSON (RFC 8785, JCS): no white space, members sorted by their keys' UTF-16 code units, numbers and strings as
 * ECMAScript writes them. Extends the RFC, which refuses lone surrogates: a lone surrogate becomes its escape (`\ud800`), as in
 * `JSON.stringify`.
 *
 * The value must have passed `checkJson`: its depth limit bounds the recursion.
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
  // `sort` compares UTF-16 code units, including integer-like keys. An object could not hold those in that order.
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
