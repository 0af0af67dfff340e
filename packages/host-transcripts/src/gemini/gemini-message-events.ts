import type { JsonValue, TranscriptEvent } from "@workrail/core";
import { type JsonRecord, recordOf, recordsOf, textOf, timeOf } from "../json-record.ts";
import { stripHostText, stripHostTextOfOutput } from "../strip-host-text.ts";

/** The numbers of thoughts, texts, calls and results that were already given for a message. */
export type GeminiCounts = readonly [thoughts: number, texts: number, calls: number, results: number];

export const NOTHING_GIVEN: GeminiCounts = [0, 0, 0, 0];

/** The events of a message's version, without those of its earlier versions. */
export function geminiMessageEvents(
  message: JsonRecord,
  given: GeminiCounts,
): { readonly events: readonly TranscriptEvent[]; readonly given: GeminiCounts } {
  const thoughts = recordsOf(message["thoughts"]).flatMap(thoughtEvents);
  const texts = textEvents(message);
  const tools = recordsOf(message["toolCalls"]);
  const calls = tools.map(callEvent);
  const results = tools.flatMap(resultEvents);
  const fresh = [thoughts.slice(given[0]), texts.slice(given[1]), calls.slice(given[2]), results.slice(given[3])];
  const at = timeOf(message["timestamp"]);
  return {
    events: fresh.flat().map((event) => (event.at === undefined && at !== undefined ? { ...event, at } : event)),
    given: [
      Math.max(given[0], thoughts.length),
      Math.max(given[1], texts.length),
      Math.max(given[2], calls.length),
      Math.max(given[3], results.length),
    ],
  };
}

function textEvents(message: JsonRecord): readonly TranscriptEvent[] {
  const text = stripHostText(textOfParts(message["content"])).trim();
  if (text === "") return [];
  if (message["type"] === "gemini") return [{ kind: "reply", text }];
  if (message["type"] !== "user" || text.startsWith("<session_context>")) return [];
  return [{ kind: text.startsWith("<state_snapshot>") ? "summary" : "prompt", text }];
}

function textOfParts(content: unknown): string {
  if (typeof content === "string") return content;
  return (Array.isArray(content) ? content : [content])
    .flatMap((part: unknown) => (typeof part === "string" ? part : (textOf(recordOf(part)?.["text"]) ?? [])))
    .join("\n");
}

function thoughtEvents(thought: JsonRecord): readonly TranscriptEvent[] {
  const words = [textOf(thought["subject"]), textOf(thought["description"])].flatMap((part) => part ?? []).join(": ");
  const at = timeOf(thought["timestamp"]);
  return words === "" ? [] : [{ kind: "thought", text: words, ...(at === undefined ? {} : { at }) }];
}

function callEvent(tool: JsonRecord): TranscriptEvent {
  return { kind: "call", id: textOf(tool["id"]), tool: textOf(tool["name"]) ?? "", input: (tool["args"] ?? {}) as JsonValue };
}

const FAILED = new Set(["error", "cancelled"]);

function resultEvents(tool: JsonRecord): readonly TranscriptEvent[] {
  const status = textOf(tool["status"]) ?? "";
  if (tool["result"] === undefined && status !== "success" && !FAILED.has(status)) return [];
  const text = stripHostTextOfOutput(textOfResult(tool)).trim();
  const code = /^(?:Exit Code|Exit code): (-?\d{1,10})$/mu.exec(text)?.[1];
  const exitCode = code === undefined ? undefined : Number(code);
  const failed = FAILED.has(status) || (exitCode !== undefined && exitCode !== 0);
  const at = timeOf(tool["timestamp"]);
  const result: TranscriptEvent = { kind: "result", id: textOf(tool["id"]), text, failed, ...(at === undefined ? {} : { at }) };
  return [exitCode === undefined ? result : { ...result, exitCode }];
}

function textOfResult(tool: JsonRecord): string {
  const told = recordsOf(tool["result"]).flatMap((part) => {
    const response = recordOf(recordOf(part["functionResponse"])?.["response"]);
    return textOf(response?.["output"]) ?? textOf(response?.["error"]) ?? textOf(part["text"]) ?? [];
  });
  const text = told.length > 0 ? told.join("\n") : (textOf(tool["result"]) ?? textOf(tool["resultDisplay"]) ?? "");
  return text.replace(/^<untrusted_context>\n?/u, "").replace(/\n?<\/untrusted_context>\s*$/u, "");
}
