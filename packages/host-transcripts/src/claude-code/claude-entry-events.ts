import type { JsonValue, TranscriptEvent } from "@workrail/core";
import { type JsonRecord, recordOf, recordsOf, textOf, timeOf } from "../json-record.ts";
import { stripHostText, stripHostTextOfOutput } from "../strip-host-text.ts";
import { taskNotification } from "./task-notification.ts";
import { wordsOfPerson } from "./words-of-person.ts";

/** An event without its time: the entry has the time. */
type Untimed = TranscriptEvent;

/** Senders of user entries that are not persons. */
const NOT_A_PERSON = new Set(["auto-continuation", "channel", "coordinator", "observer-activity", "peer", "plugin", "suggestion"]);

/** The events of an entry of a Claude Code transcript, in order. */
export function claudeEntryEvents(entry: JsonRecord): readonly TranscriptEvent[] {
  const at = timeOf(entry["timestamp"]);
  const events = eventsOf(entry);
  return at === undefined ? events : events.map((event) => ({ ...event, at }));
}

function eventsOf(entry: JsonRecord): readonly Untimed[] {
  if (entry["type"] === "assistant") return assistantEvents(entry);
  if (entry["type"] === "user") return userEvents(entry);
  const attachment = recordOf(entry["attachment"]);
  return attachment?.["type"] === "queued_command" ? queuedEvents(attachment) : [];
}

/** The parts of a message; plain text counts as one part. */
export function partsOf(content: unknown): readonly JsonRecord[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : recordsOf(content);
}

function assistantEvents(entry: JsonRecord): readonly Untimed[] {
  const message = recordOf(entry["message"]);
  // Text of the host: an API error, or a notice that there was no request.
  if (entry["isApiErrorMessage"] === true || message?.["model"] === "<synthetic>") return [];
  return partsOf(message?.["content"]).flatMap(assistantPartEvents);
}

function assistantPartEvents(part: JsonRecord): readonly Untimed[] {
  const text = textOf(part["text"]);
  const thinking = textOf(part["thinking"]);
  const tool = textOf(part["name"]);
  if (part["type"] === "text" && text !== undefined) return said("reply", text);
  if (part["type"] === "thinking" && thinking !== undefined) return said("thought", thinking);
  if (part["type"] !== "tool_use" || tool === undefined) return [];
  return [{ kind: "call", id: textOf(part["id"]), tool, input: (part["input"] ?? {}) as JsonValue }];
}

function said(kind: "prompt" | "reply" | "thought" | "summary", words: string): readonly Untimed[] {
  const text = stripHostText(words);
  return text.trim() === "" ? [] : [{ kind, text }];
}

function userEvents(entry: JsonRecord): readonly Untimed[] {
  const parts = partsOf(recordOf(entry["message"])?.["content"]);
  const results = parts.filter((part) => part["type"] === "tool_result").map((part) => resultEvent(part, entry["toolUseResult"]));
  const text = textOfParts(parts);
  if (text === "") return results;
  if (entry["isCompactSummary"] === true) return [...results, ...said("summary", withoutFrame(text))];
  if (entry["isMeta"] === true) return results;
  return [...results, ...wordEvents(text, recordOf(entry["origin"])?.["kind"])];
}

function queuedEvents(attachment: JsonRecord): readonly Untimed[] {
  if (attachment["isMeta"] === true) return [];
  const mode = attachment["commandMode"];
  const origin = recordOf(attachment["origin"])?.["kind"] ?? (mode === "task-notification" ? mode : undefined);
  return wordEvents(textOfParts(partsOf(attachment["prompt"])), origin);
}

function wordEvents(text: string, origin: unknown): readonly Untimed[] {
  if (origin === "task-notification" || text.startsWith("<task-notification>")) return [taskNotification(text)];
  if (typeof origin === "string" && NOT_A_PERSON.has(origin)) return [];
  return wordsOfPerson(text);
}

function textOfParts(parts: readonly JsonRecord[]): string {
  return parts
    .flatMap((part) => (part["type"] === "text" ? (textOf(part["text"]) ?? []) : []))
    .join("\n")
    .trim();
}

/** A summary without the host's sentences around it. */
function withoutFrame(text: string): string {
  const stripped = stripHostText(text);
  const start = /^This session is being continued [\s\S]*?\n(?:Summary|Analysis):\n/u.exec(stripped)?.[0].length ?? 0;
  const end = stripped.indexOf("\n\nIf you need specific details from before compaction");
  return stripped.slice(start, end > start ? end : undefined).trim();
}

const EXIT_CODE = /^(?:Error: )?Exit code (\d{1,10})\b/u;

function resultEvent(part: JsonRecord, toolUseResult: unknown): Untimed {
  const text = stripHostTextOfOutput(textOfResult(part["content"]));
  const told = recordOf(toolUseResult);
  const failed = part["is_error"] === true || told?.["interrupted"] === true;
  const exitCode = failed ? exitCodeOf(text) : exitCodeOfSuccess(told);
  return { kind: "result", id: textOf(part["tool_use_id"]), text, failed, ...(exitCode === undefined ? {} : { exitCode }) };
}

function textOfResult(content: unknown): string {
  return typeof content === "string" ? content : textOfParts(recordsOf(content));
}

function exitCodeOf(text: string): number | undefined {
  const code = EXIT_CODE.exec(text)?.[1];
  return code === undefined ? undefined : Number(code);
}

/** Only a command that ran to its end has output. The host marks exit codes with a special meaning, such as 1 of grep. */
function exitCodeOfSuccess(told: JsonRecord | undefined): number | undefined {
  const isCommand = typeof told?.["stdout"] === "string";
  const isOpen = told?.["backgroundTaskId"] !== undefined || told?.["returnCodeInterpretation"] !== undefined;
  return isCommand && !isOpen ? 0 : undefined;
}
