import { isJsonObject, type JsonValue } from "@workrail/core";

/**
 * Replaces random ids that link tool calls to their results by `c1`, `c2` and so on. An id costs a dozen tokens each time; the
 * link stays intact.
 */
export function shortLinks(messages: readonly JsonValue[]): readonly JsonValue[] {
  const names = new Map<string, string>();
  for (const message of messages) for (const id of idsOf(message)) if (!names.has(id)) names.set(id, `c${names.size + 1}`);
  return names.size === 0 ? messages : messages.map((message) => renamed(message, names));
}

/** Returns the ids of the calls in a message. */
function idsOf(message: JsonValue): string[] {
  if (!isJsonObject(message)) return [];
  return [...listOf(message["tool_calls"]), ...listOf(message["content"])].flatMap((part) =>
    isJsonObject(part) && CALLS.has(part["type"] ?? "function") && typeof part["id"] === "string" ? [part["id"]] : [],
  );
}

const CALLS: ReadonlySet<JsonValue> = new Set(["function", "tool_use"]);

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** Fields in which ids are links. In arguments and results of tools they are ordinary values. */
const LINKS: ReadonlySet<string> = new Set(["id", "tool_call_id", "tool_use_id"]);

function renamed(message: JsonValue, names: ReadonlyMap<string, string>): JsonValue {
  if (!isJsonObject(message)) return message;
  const rename = (key: string, value: JsonValue): JsonValue => {
    if (LINKS.has(key) && typeof value === "string") return names.get(value) ?? value;
    return (key === "tool_calls" || key === "content") && Array.isArray(value)
      ? value.map((part: JsonValue) => renamed(part, names))
      : value;
  };
  return Object.fromEntries(Object.entries(message).map(([key, value]) => [key, rename(key, value)]));
}
