import type { CheckpointFacts, Context, Digester, JsonObject } from "@workrail/core";
import { type ExportedSession, type UnreadableInExport, withCheck } from "./export-fields.ts";

/*
 * An export is one JSON object: format and version, the session, its checkpoints with their whole contexts, oldest first, and the
 * names of unreadable checkpoints. docs/reference/export-format.md is the complete description.
 */

export const EXPORT_FORMAT = "workrail-session";
export const EXPORT_VERSION = 1;

/** Contexts of at most this many characters are indented for people. In larger ones a line per value would not help. */
const LONGEST_LAID_OUT = 1024 * 1024;
/** Largest growth by indentation, which is high for deeply nested arrays of small numbers. */
const MOST_BLOWN_UP = 16;

/** Returns the text before the first checkpoint. */
export function openingText(session: ExportedSession, digests: Digester): string {
  const { id, createdAt, tags, pins } = session;
  const facts = layOut(withCheck({ id, createdAt: createdAt.toISOString(), tags, pins }, digests), "  ");
  return `{\n  "format": "${EXPORT_FORMAT}",\n  "version": ${EXPORT_VERSION},\n  "session": ${facts},\n  "checkpoints": [`;
}

/** Yields the text of a checkpoint in a few parts, so that a large context is not copied again. */
export function* checkpointTexts(loaded: ToBeExported, digests: Digester): Generator<string, void, undefined> {
  const facts = layOut(withCheck(factsOf(loaded.record), digests), "    ");
  yield `    ${facts.slice(0, facts.lastIndexOf("\n"))},\n      "context": `;
  yield contextLaidOut(loaded.context, loaded.contextText());
  yield "\n    }";
}

type ExportedFacts = Omit<CheckpointFacts, "sessionId" | "canonicalDigest" | "contextBytes">;

interface ToBeExported {
  readonly record: ExportedFacts;
  readonly context: Context;
  /** Returns the saved context. */
  contextText(): string;
}

/** Returns the text after the last checkpoint. */
export function closingText(hasCheckpoints: boolean, unreadable: readonly UnreadableInExport[]): string {
  const entries = unreadable.map(({ checkpointId: id, code }) => `\n    { "id": ${JSON.stringify(id)}, "code": ${JSON.stringify(code)} }`);
  const named = entries.length === 0 ? "" : `,\n  "unreadable": [${entries.join(",")}\n  ]`;
  return `${hasCheckpoints ? "\n  ]" : "]"}${named}\n}\n`;
}

function factsOf(record: ExportedFacts): JsonObject {
  return {
    id: record.id,
    parentId: record.parentId,
    kind: record.kind,
    createdAt: record.createdAt.toISOString(),
    ...(record.agentId === undefined ? {} : { agentId: record.agentId }),
    ...(record.workflowId === undefined ? {} : { workflowId: record.workflowId }),
    ...(record.project === undefined ? {} : { project: record.project }),
    ...(record.name === undefined ? {} : { name: record.name }),
    tags: record.tags,
    attributes: record.attributes,
    ...(record.layers === undefined ? {} : { layers: { ...record.layers } }),
    writer: record.writer,
    sha256: record.exactDigest,
  };
}

function contextLaidOut(context: Context, contextText: string): string {
  if (contextText.length > LONGEST_LAID_OUT) return contextText;
  const laidOut = layOut(context, "      ");
  return laidOut.length > MOST_BLOWN_UP * contextText.length ? contextText : laidOut;
}

/** Indents JSON. Safe, because a line feed in JSON text is never inside a string. */
function layOut(value: JsonObject, indentation: string): string {
  return JSON.stringify(value, undefined, 2).replaceAll("\n", `\n${indentation}`);
}
