import { isJsonObject, roundedIntegers } from "@workrail/core";
import type { JsonRpcMessage } from "./json-rpc.ts";

/**
 * Rounded integers by the arguments object of a call: they cannot be found after parsing, and the library passes on only the parsed
 * message.
 */
const noted = new WeakMap<object, readonly string[]>();

/** Records the integers of a call that were rounded when its message was parsed from this text. */
export function noteRounded(message: JsonRpcMessage, text: string): void {
  if (!("method" in message) || message.method !== "tools/call") return;
  const given = message.params?.["arguments"];
  if (typeof given !== "object" || given === null) return;
  const rounded = roundedIntegers(text);
  if (rounded.length > 0) noted.set(given, rounded);
}

/** Returns the original digits of integers that were rounded in a call's arguments. */
export function roundedIn(given: unknown): readonly string[] {
  return (typeof given === "object" && given !== null && noted.get(given)) || [];
}

/** Returns integers that are rounded when fields sent as text are parsed, including fields of a patch. */
export function roundedInTexts(context: unknown, patch: unknown): readonly string[] {
  const given = [context, patch, ...(isJsonObject(patch) ? Object.values(patch) : [])];
  return given.filter((value) => typeof value === "string").flatMap((text) => roundedIntegers(text));
}
