/** Any value that JSON can say. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

export type JsonObject = { readonly [key: string]: JsonValue };

/** What an agent hands over to be kept: one JSON object. Each top-level key with its value is an *entry*. */
export type Context = JsonObject;

/** Whether a value is an object in the sense of JSON: neither `null` nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
