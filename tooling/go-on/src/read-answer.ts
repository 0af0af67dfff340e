import type { Question } from "./working-state.ts";

/** A text as an agent reads it: escapes of JSON, of JSON within JSON too, are undone. */
export function asRead(text: string): string {
  return text
    .replaceAll(/\\+u([0-9a-f]{4})/giu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\\+n/gu, "\n")
    .replaceAll(/\\+t/gu, "\t")
    .replaceAll(/\\+"/gu, '"')
    .replaceAll(/\\+\//gu, "/");
}

/** Whether a text that was read answers a question. */
export function answers(read: string, { answer }: Question): boolean {
  // As a person would look for it: by characters, and not by code points.
  return answer.every((source) => new RegExp(source).test(read));
}
