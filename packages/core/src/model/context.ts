/** Any JSON value. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

export type JsonObject = { readonly [key: string]: JsonValue };

/** The JSON object that an agent hands over to be kept. Each top-level key with its value is an *entry*. */
export type Context = JsonObject;

/** True when a value is a JSON object: neither `null` nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
