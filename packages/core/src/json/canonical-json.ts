import { isJsonObject, type JsonValue } from "../model/context.ts";
import { encodeUtf8Into } from "../platform.ts";

/**
 * Writes canonical JSON (RFC 8785, JCS): no white space, members sorted by their keys' UTF-16 code units, numbers and strings as
 * ECMAScript writes them. Extends the RFC, which refuses lone surrogates: a lone surrogate becomes its escape (`\ud800`), as in
 * `JSON.stringify`.
 *
 * The value must have passed `checkJson`: its depth limit bounds the recursion. The same holds for the functions below.
 */
export function canonicalJson(value: JsonValue): string {
  let json = "";
  write(value, (text) => {
    json += text;
  });
  return json;
}

/**
 * Returns the UTF-8 of the canonical JSON. Faster than encoding its text, because engines join many short texts slowly.
 *
 * @param length bytes of the value's JSON, which are as many in any order of the keys.
 */
export function canonicalUtf8(value: JsonValue, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let written = 0;
  let texts = "";
  const encode = (text: string): void => {
    texts += text;
    if (text !== "" && texts.length < ENCODED_AT_ONCE) return;
    written += encodeUtf8Into(texts, bytes.subarray(written));
    texts = "";
  };
  write(value, encode);
  encode("");
  return bytes;
}

const ENCODED_AT_ONCE = 2 * 1024;

/** Calls `add` with the texts of the canonical JSON, in order. */
function write(value: JsonValue, add: (text: string) => void): void {
  if (typeof value !== "object" || value === null) return add(JSON.stringify(value));
  if (!isJsonObject(value)) {
    add("[");
    for (let index = 0; index < value.length; index++) {
      if (index > 0) add(",");
      write(value[index] as JsonValue, add);
    }
    return add("]");
  }
  let before = "{";
  const keys = Object.keys(value);
  // `sort` compares UTF-16 code units, including integer-like keys. An object could not hold those in that order.
  for (const key of keys.sort()) {
    add(`${before}${JSON.stringify(key)}:`);
    write(value[key] as JsonValue, add);
    before = ",";
  }
  add(before === "{" ? "{}" : "}");
}
