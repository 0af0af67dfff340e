import { isJsonObject, type JsonObject, type JsonValue } from "@workrail/core";
import { outlineData } from "./outline-data.ts";
import { outlineText } from "./outline-text.ts";
import type { Group, Part, Unit, Voice } from "./outline.ts";

/** True when an array is a conversation: each member has a speaker and content. */
export function isMessages(value: readonly JsonValue[]): value is readonly JsonObject[] {
  return (
    value.length > 0 &&
    value.every((item) => isJsonObject(item) && speakerOf(item) !== undefined && CONTENTS.some((name) => Object.hasOwn(item, name)))
  );
}

const SPEAKERS = ["role", "speaker", "author", "from", "sender"];
const CONTENTS = ["content", "text", "message", "parts", "tool_calls", "function_call"];

function speakerOf(message: JsonObject): string | undefined {
  return SPEAKERS.map((name) => message[name]).find((speaker) => typeof speaker === "string");
}

/** Yields one part per message, on demand. */
export function* outlineMessages(messages: readonly JsonObject[]): Generator<Part> {
  const calls = new Map<string, string>();
  for (const message of messages) yield outlineMessage(message, calls);
}

/** @param calls tool names by the id of the call as JSON text. */
function outlineMessage(message: JsonObject, calls: Map<string, string>): Part {
  const speaker = speakerOf(message) ?? "";
  const isReport = REPORTS.test(speaker);
  const tool = message["name"] ?? calls.get(JSON.stringify(message["tool_call_id"] ?? null));
  const root: Group = { label: isReport && typeof tool === "string" ? tool : speaker, parent: undefined };
  const units = CONTENTS.flatMap((name) => outlineContent(message[name] ?? null, root, calls)).map((unit) => dated(unit, dateOf(message)));
  return { root, pieces: [{ units, voice: voiceOf(message, speaker) }] };
}

const DATES = ["date", "timestamp", "time", "created_at", "createdAt"];

/** Returns the day of a message, from dates such as `2023-05-08T13:56:00Z` or `1:56 pm on 8 May, 2023`. */
function dateOf(message: JsonObject): string | undefined {
  const date = DATES.map((name) => message[name]).find((value) => typeof value === "string");
  return date === undefined ? undefined : /\d{4}-\d\d-\d\d|\d{1,2} \p{L}{3,9},? \d{4}|\p{L}{3,9} \d{1,2},? \d{4}/u.exec(date)?.[0];
}

/** Adds the date to a unit with a relative date such as "yesterday". */
function dated(unit: Unit, date: string | undefined): Unit {
  if (date === undefined || !RELATIVE.test(unit.text)) return unit;
  return { ...unit, group: { label: `[${date}]`, parent: unit.group } };
}

const RELATIVE =
  /\b(?:yesterday|today|tonight|tomorrow|ago|(?:last|next|this|past|coming) (?:night|morning|week|weekend|month|year|spring|summer|autumn|fall|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day))\b/iu;

const ASKERS = /^(?:user|human|customer|client|caller|patient|visitor)$/iu;
const REPORTS = /^(?:tool|function|ipython|observation|environment)$/u;

function voiceOf(message: JsonObject, speaker: string): Voice {
  if (REPORTS.test(speaker)) return "reports";
  if (/^(?:system|developer)$/u.test(speaker)) return "rules";
  if (message["tool_calls"] !== undefined || message["function_call"] !== undefined) return "acts";
  return ASKERS.test(speaker) ? "asks" : "says";
}

function outlineContent(content: JsonValue, group: Group, calls: Map<string, string>): Unit[] {
  if (content === null) return [];
  if (typeof content === "string") return outlineText(content, group);
  if (!Array.isArray(content)) return outlineContentPart(content, group, calls);
  return content.flatMap((part: JsonValue) => outlineContentPart(part, group, calls));
}

/** Outlines a text, a tool call, a tool result, or any other content of a message. */
function outlineContentPart(part: JsonValue, group: Group, calls: Map<string, string>): Unit[] {
  if (typeof part === "string") return outlineText(part, group);
  if (!isJsonObject(part)) return outlineData(part, group);
  if (typeof part["text"] === "string") return outlineText(part["text"], group);
  if (part["type"] === "tool_result") return outlineContent(part["content"] ?? null, group, calls);
  const call = isJsonObject(part["function"]) ? part["function"] : part;
  if (typeof call["name"] !== "string") return outlineData(part, group);
  calls.set(JSON.stringify(part["id"] ?? null), call["name"]);
  return outlineCall(call["name"], call["arguments"] ?? call["input"] ?? null, group);
}

function outlineCall(name: string, given: JsonValue, group: Group): Unit[] {
  const under: Group = { label: `call ${name}`, parent: group };
  const units = typeof given === "string" ? outlineText(given, under) : outlineData(given, under);
  // The call itself is worth knowing, even without arguments.
  return units.length > 0 && given !== null ? units : [{ text: `call ${name}`, group, joint: ", " }];
}
