import type { Question } from "./working-state.ts";

/** Returns a text as an agent reads it, without escapes of JSON, including JSON within JSON. */
export function asRead(text: string): string {
  return text
    .replaceAll(/\\+u([0-9a-f]{4})/giu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\\+n/gu, "\n")
    .replaceAll(/\\+t/gu, "\t")
    .replaceAll(/\\+"/gu, '"')
    .replaceAll(/\\+\//gu, "/");
}

/** Tells whether a text answers a question. */
export function answers(read: string, { answer }: Question): boolean {
  // Without the `u` flag: by characters, as a person would look for it.
  return answer.every((source) => new RegExp(source).test(read));
}
