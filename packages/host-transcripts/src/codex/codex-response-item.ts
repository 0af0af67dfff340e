import type { JsonValue, TranscriptEvent } from "@workrail/core";
import { type JsonRecord, parseRecord, recordOf, recordsOf, textOf } from "../json-record.ts";
import { stripHostText, stripHostTextOfOutput } from "../strip-host-text.ts";
import { textOfContent } from "./codex-event-message.ts";

/**
 * The events of a response item of a Codex rollout: the model's words, its calls and their results.
 *
 * A user message is a prompt only in the first rollouts (`isBare`), which have no `event_msg`. Otherwise it can be context.
 */
export function codexResponseItem(item: JsonRecord, isBare: boolean): readonly TranscriptEvent[] {
  switch (item["type"]) {
    case "message":
      return messageEvents(item, isBare);
    case "reasoning":
      return said("thought", textOfContent(item["summary"]));
    case "function_call":
      return call(item, parsedArguments(item["arguments"]));
    case "custom_tool_call":
      return call(item, (item["input"] ?? "") as JsonValue);
    case "local_shell_call":
      return call({ ...item, name: "local_shell" }, (item["action"] ?? {}) as JsonValue);
    case "web_search_call":
      return call({ ...item, name: "web_search" }, (item["action"] ?? {}) as JsonValue);
    case "function_call_output":
    case "custom_tool_call_output":
    case "local_shell_call_output":
      return [resultEvent(item)];
    default:
      return [];
  }
}

function messageEvents(item: JsonRecord, isBare: boolean): readonly TranscriptEvent[] {
  const text = textOfContent(item["content"]);
  if (item["role"] === "assistant") return said("reply", text);
  const isContext = /^\s*<(?:environment_context|user_instructions)>/u.test(text);
  return isBare && item["role"] === "user" && !isContext ? said("prompt", text) : [];
}

function said(kind: "prompt" | "reply" | "thought", words: string): readonly TranscriptEvent[] {
  const text = stripHostText(words);
  return text.trim() === "" ? [] : [{ kind, text }];
}

function call(item: JsonRecord, input: JsonValue): readonly TranscriptEvent[] {
  const tool = textOf(item["name"]);
  return tool === undefined ? [] : [{ kind: "call", id: textOf(item["call_id"]) ?? textOf(item["id"]), tool, input }];
}

function parsedArguments(value: unknown): JsonValue {
  if (typeof value !== "string") return (value ?? {}) as JsonValue;
  return (parseRecord(value) as JsonValue | undefined) ?? value;
}

const EXIT_CODE = /^(?:Process exited with code|Exit code:) (-?\d{1,10})$/mu;
/** The line before the output. An exit code after it belongs to the output, not to the command. */
const OUTPUT_LINE = /^Output:$/mu;

function resultEvent(item: JsonRecord): TranscriptEvent {
  const output = item["output"];
  const told = typeof output === "string" ? parseRecord(output) : recordOf(output);
  const words =
    textOf(told?.["output"]) ?? textOf(told?.["content"]) ?? (typeof output === "string" ? output : textOfContent(recordsOf(output)));
  const exitCode = exitCodeOf(words, recordOf(told?.["metadata"])?.["exit_code"]);
  const success = told?.["success"];
  const failed = exitCode === undefined ? (typeof success === "boolean" ? !success : failedByWords(words)) : exitCode !== 0;
  return {
    kind: "result",
    id: textOf(item["call_id"]),
    text: stripHostTextOfOutput(withoutFrame(words)),
    ...(failed === undefined ? {} : { failed }),
    ...(exitCode === undefined ? {} : { exitCode }),
  };
}

/** The output without the host's lines about the command. */
function withoutFrame(words: string): string {
  if (!/^(?:Chunk ID|Exit code|Wall time): /u.test(words)) return words;
  const place = words.indexOf("\nOutput:\n");
  return place === -1 ? words : words.slice(place + "\nOutput:\n".length);
}

function exitCodeOf(words: string, told: unknown): number | undefined {
  if (typeof told === "number") return told;
  const end = OUTPUT_LINE.exec(words)?.index ?? words.length;
  const code = EXIT_CODE.exec(words.slice(0, end))?.[1];
  return code === undefined ? undefined : Number(code);
}

function failedByWords(words: string): true | undefined {
  return /^(?:unsupported call|failed to parse function arguments|apply_patch verification failed|aborted by user)/u.test(words)
    ? true
    : undefined;
}
