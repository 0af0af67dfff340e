import type { JsonObject, TranscriptEvent } from "@workrail/core";

/** Characters of a tool's output that are kept: its beginning and its end. */
const LONGEST_OUTPUT = 16_000;

/** A conversation as messages in the shape of Anthropic's Messages API, each with its time. The model's own thoughts are left out. */
export function messagesOf(events: readonly TranscriptEvent[]): JsonObject[] {
  return events.flatMap((event): JsonObject[] => {
    const at = event.at === undefined ? {} : { at: event.at };
    switch (event.kind) {
      case "prompt":
        return [{ role: "user", content: event.text, ...at }];
      case "reply":
        return [{ role: "assistant", content: event.text, ...at }];
      case "call":
        return [
          { role: "assistant", content: [{ type: "tool_use", ...idOf(event.id, "id"), name: event.tool, input: event.input }], ...at },
        ];
      case "result": {
        const failed = event.failed === true || (event.exitCode ?? 0) !== 0 ? { is_error: true } : {};
        const content = cutMiddle(event.text);
        return [{ role: "user", content: [{ type: "tool_result", ...idOf(event.id, "tool_use_id"), content, ...failed }], ...at }];
      }
      case "summary":
        return [{ role: "system", content: event.text, ...at }];
      case "interrupted":
        return [{ role: "system", content: "The user interrupted the model.", ...at }];
      case "thought":
        return [];
    }
  });
}

function idOf(id: string | undefined, name: string): JsonObject {
  return id === undefined ? {} : { [name]: id };
}

function cutMiddle(text: string): string {
  if (text.length <= LONGEST_OUTPUT) return text;
  const half = LONGEST_OUTPUT / 2;
  const left = text.length - LONGEST_OUTPUT;
  return `${text.slice(0, half).toWellFormed()}\n[... ${left} characters left out ...]\n${text.slice(-half).toWellFormed()}`;
}
