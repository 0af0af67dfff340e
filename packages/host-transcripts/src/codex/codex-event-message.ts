import type { TranscriptEvent } from "@workrail/core";
import { type JsonRecord, recordOf, recordsOf, textOf } from "../json-record.ts";
import { stripHostText } from "../strip-host-text.ts";

/**
 * The events of an `event_msg` of a Codex rollout: the person's words, and interrupts.
 *
 * Response items repeat everything else in it.
 */
export function codexEventMessage(payload: JsonRecord): readonly TranscriptEvent[] {
  if (payload["type"] === "user_message") return prompt(textOf(payload["message"]) ?? "");
  if (payload["type"] === "turn_aborted") return payload["reason"] === "replaced" ? [] : [{ kind: "interrupted" }];
  const item = payload["type"] === "item_completed" ? recordOf(payload["item"]) : undefined;
  return item?.["type"] === "UserMessage" ? prompt(textOfContent(item["content"])) : [];
}

/** The text of a content list with parts of any type. */
export function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  return recordsOf(content)
    .flatMap((part) => textOf(part["text"]) ?? [])
    .join("\n");
}

function prompt(words: string): readonly TranscriptEvent[] {
  // Editors put their open files before the request.
  const [, request = words] = /## My request for Codex:\s*\n([\s\S]*)$/u.exec(words) ?? [];
  const text = stripHostText(request).trim();
  return text === "" ? [] : [{ kind: "prompt", text }];
}
