import type { JsonValue, TranscriptEvent } from "@workrail/core";
import { type JsonRecord, recordOf, recordsOf, textOf } from "../json-record.ts";
import { stripHostText, stripHostTextOfOutput } from "../strip-host-text.ts";

/**
 * The events of an opencode session, from messages of the plugin API or from the JSON of `opencode export`.
 *
 * Skips unknown parts. Never throws.
 */
export function readOpencodeMessages(messages: unknown): readonly TranscriptEvent[] {
  const list = Array.isArray(messages) ? messages : recordOf(messages)?.["messages"];
  return recordsOf(list).flatMap((message) => messageEvents(message));
}

function messageEvents(message: JsonRecord): readonly TranscriptEvent[] {
  const info = recordOf(message["info"]) ?? message;
  const at = timeOf(recordOf(info["time"])?.["created"]);
  const isUser = info["role"] === "user";
  const events = recordsOf(message["parts"]).flatMap((part) => partEvents(part, isUser, info["summary"] === true));
  const error = recordOf(info["error"])?.["name"];
  return [...events, ...(error === "MessageAbortedError" ? [{ kind: "interrupted" } as const] : [])].map((event) =>
    at === undefined || event.at !== undefined ? event : { ...event, at },
  );
}

function partEvents(part: JsonRecord, isUser: boolean, isSummary: boolean): readonly TranscriptEvent[] {
  if (part["type"] === "tool") return toolEvents(part);
  const text = stripHostText(textOf(part["text"]) ?? "").trim();
  // A synthetic part is text of the host, such as the content of a file that the prompt names.
  if (text === "" || part["synthetic"] === true || part["ignored"] === true) return [];
  if (part["type"] === "reasoning") return [{ kind: "thought", text }];
  if (part["type"] !== "text") return [];
  return [{ kind: isUser ? "prompt" : isSummary ? "summary" : "reply", text }];
}

function toolEvents(part: JsonRecord): readonly TranscriptEvent[] {
  const tool = textOf(part["tool"]);
  const state = recordOf(part["state"]);
  if (tool === undefined || state === undefined) return [];
  const id = textOf(part["callID"]);
  const time = recordOf(state["time"]);
  const call: TranscriptEvent = { kind: "call", id, tool, input: (state["input"] ?? {}) as JsonValue, ...atOf(time?.["start"]) };
  if (state["status"] !== "completed" && state["status"] !== "error") return [call];
  return [call, { ...resultEvent(id, state), ...atOf(time?.["end"]) }];
}

function resultEvent(id: string | undefined, state: JsonRecord): TranscriptEvent {
  const exit = recordOf(state["metadata"])?.["exit"];
  const exitCode = typeof exit === "number" ? exit : undefined;
  const text = stripHostTextOfOutput(textOf(state["output"]) ?? textOf(state["error"]) ?? "");
  const failed = state["status"] === "error" || (exitCode !== undefined && exitCode !== 0);
  return { kind: "result", id, text, failed, ...(exitCode === undefined ? {} : { exitCode }) };
}

function atOf(time: unknown): { readonly at?: string } {
  const at = timeOf(time);
  return at === undefined ? {} : { at };
}

/** Converts milliseconds since 1970, within the range of a date. */
function timeOf(time: unknown): string | undefined {
  return typeof time === "number" && Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : undefined;
}
