import { CONVERSATION_FORMATS, type ErrorCode, isWorkrailError, type WorkrailError } from "@workrail/core";
import type { StoreConversationParams } from "@workrail/runtime";
import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { defineTool, type Tool } from "../tool.ts";
import { type ToolFailure, toToolFailure } from "../wire-errors.ts";
import { time } from "./fields.ts";

// Accepts anything: the library describes faults of a conversation itself.
const conversation = z
  .custom<StoreConversationParams["conversation"]>(() => true)
  .meta({
    description: "Text or {role, content} messages",
    anyOf: [{ type: "string" }, { type: "array", items: { type: "object" } }],
  });

const input = z.strictObject({
  conversation,
  topic: z.string().optional().describe("Default: derived"),
  format: z.enum(CONVERSATION_FORMATS).optional().describe("Default plain"),
});

const output = z.looseObject({
  success: z.literal(true).describe("Always true"),
  file: z.string().describe("Its path"),
  filename: z.string().describe("Its name"),
  topic: z.string().describe("As used"),
  date: time.describe("When stored"),
  message: z.string().describe("Result"),
  warning: z.string().optional().describe("Tell your user"),
  checkpointId: z.string().optional().describe("Holds all of it"),
});

/** Stores a conversation as a file for people and as a checkpoint. */
export function storeSession(store: LazyStore): Tool {
  return defineTool({
    name: "store_session",
    title: "Store a conversation",
    description: "Keep a whole conversation, as Markdown and searchable.",
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    toFailure: toSessionFailure,
    async run(request, call) {
      const workrail = await store.get(call);
      const {
        sessionId: _session,
        warning,
        checkpointId,
        ...stored
      } = await workrail.storeConversation({ ...request, agentId: call.client?.name });
      return {
        success: true as const,
        ...stored,
        ...(warning !== undefined && { warning }),
        ...(checkpointId !== undefined && { checkpointId }),
      };
    },
  });
}

/** Error codes of `store_session`, with the HTTP status that the specification gives each. */
const SESSION_ERRORS = {
  INVALID_INPUT: 400,
  FILE_WRITE_ERROR: 500,
  FILENAME_GENERATION_ERROR: 500,
  DIRECTORY_CREATION_ERROR: 500,
  UNKNOWN_ERROR: 500,
} as const;

type SessionError = keyof typeof SESSION_ERRORS;

/** Error codes by the failed step. */
const STEPS: Readonly<Record<string, SessionError>> = {
  folder: "DIRECTORY_CREATION_ERROR",
  name: "FILENAME_GENERATION_ERROR",
  file: "FILE_WRITE_ERROR",
};

/** The store refuses the file: a sealed store allows no unencrypted file, its key is missing, or the store is read-only. */
const REFUSED: ReadonlySet<ErrorCode> = new Set(["PLAINTEXT_REFUSED", "KEY_UNAVAILABLE", "READ_ONLY"]);

/** Builds the failure of `store_session`. Its text is the documented JSON, in which `details` is a text for people. */
function toSessionFailure(error: unknown): ToolFailure {
  const { details } = toToolFailure(error);
  const code = codeOf(error);
  const text = JSON.stringify({ success: false, error: code, ...inWords(error) });
  return { text, code, httpStatus: SESSION_ERRORS[code], details };
}

function codeOf(error: unknown): SessionError {
  if (!isWorkrailError(error)) return "UNKNOWN_ERROR";
  if (REFUSED.has(error.code)) return "FILE_WRITE_ERROR";
  return isOfCall(error) ? "INVALID_INPUT" : (STEPS[String(error.details["step"])] ?? "UNKNOWN_ERROR");
}

/** True when the arguments are wrong; a wrong setting has the same code. */
function isOfCall({ code, details }: WorkrailError): boolean {
  if (code === "TOO_LARGE" || code === "SECRET_FOUND") return true;
  return code === "INVALID_INPUT" && ("issues" in details || /^(?:conversation|format)/u.test(String(details["field"])));
}

/** Reveals nothing about an unexpected error: its message may quote stored text. */
function inWords(error: unknown): { readonly message: string; readonly details: string | null } {
  if (!isWorkrailError(error)) return { message: "The tool failed unexpectedly", details: "The cause is in the server's log" };
  return { message: error.message, details: error.hint ?? null };
}
