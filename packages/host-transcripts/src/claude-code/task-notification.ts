import type { TranscriptEvent } from "@workrail/core";
import { stripHostTextOfOutput } from "../strip-host-text.ts";

/** The result of a background call, from the host's text about it. */
export function taskNotification(text: string): TranscriptEvent {
  const id = element(text, "tool-use-id");
  const exitCode = Number(element(text, "exit-code") ?? /exit code (\d{1,10})/u.exec(element(text, "summary") ?? "")?.[1] ?? Number.NaN);
  const status = element(text, "status");
  const words = [element(text, "summary"), element(text, "result")].flatMap((found) => found ?? []).join("\n");
  return {
    kind: "result",
    id,
    text: stripHostTextOfOutput(words === "" ? text : words),
    failed: status === undefined ? undefined : status !== "completed",
    ...(Number.isInteger(exitCode) ? { exitCode } : {}),
  };
}

function element(text: string, name: string): string | undefined {
  const start = text.indexOf(`<${name}>`);
  const end = text.lastIndexOf(`</${name}>`);
  return start === -1 || end < start ? undefined : text.slice(start + name.length + 2, end).trim();
}
