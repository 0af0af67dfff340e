import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { roundedIntegers } from "@workrail/core";

/** By the arguments of a call: once a message is parsed nobody can tell, and the library hands on nothing but what was parsed. */
const noted = new WeakMap<object, readonly string[]>();

/** Notes which integers of a call were rounded as its message was parsed from this text. */
export function noteRounded(message: JSONRPCMessage, text: string): void {
  if (!("method" in message) || message.method !== "tools/call") return;
  const given = message.params?.["arguments"];
  if (typeof given !== "object" || given === null) return;
  const rounded = roundedIntegers(text);
  if (rounded.length > 0) noted.set(given, rounded);
}

/** The digits, as they were sent, of integers that reading a call's arguments has rounded. */
export function roundedIn(given: unknown): readonly string[] {
  return (typeof given === "object" && given !== null && noted.get(given)) || [];
}
