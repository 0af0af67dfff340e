import { type FileRefusal } from "@workrail/blob-files";
import { WorkrailError } from "@workrail/core";
import type { ForeignMemory } from "./foreign-memory.ts";

const REASONS: Readonly<Record<FileRefusal, string>> = {
  missing: "it does not exist",
  "not-a-file": "it is not a regular file",
  outside: "it is a link to a place outside",
  "too-large": "it is too large",
  unreadable: "you may not read it",
  "too-slow": "its disk does not answer",
};

/** The reason why a file was not read, for people. */
export function refusalReason(refusal: FileRefusal): string {
  return REASONS[refusal];
}

/** The error for a place without data of the source. */
export function unreadableMemory(
  { source, place }: { readonly source: ForeignMemory; readonly place: string },
  reason: string,
  cause?: unknown,
): WorkrailError {
  return new WorkrailError("INVALID_INPUT", `${place} cannot be read: ${reason}.`, {
    details: { path: place, source },
    hint: `Name ${KEPT[source]}: workrail import ${source} <path>.`,
    cause,
  });
}

/** The kind of data that each source keeps, in messages. */
export const KEPT: Readonly<Record<ForeignMemory, string>> = {
  "mcp-memory-keeper": "the SQLite file of mcp-memory-keeper, context.db",
  "server-memory": "the JSONL file of @modelcontextprotocol/server-memory, memory.jsonl",
  "basic-memory": "a folder of Markdown notes that Basic Memory keeps",
};
