import {
  checkJson,
  CONVERSATION_FORMATS,
  type ConversationFormat,
  DEFAULT_LIMITS,
  encodeUtf8,
  isJsonObject,
  type JsonObject,
  ownJson,
  parseJson,
  WorkrailError,
} from "@workrail/core";
import { CONVERSATION_LIMITS } from "./conversation-limits.ts";

/** Conversation of an agent and its user in one of the forms that `store_session` takes: a text, or messages. */
export type GivenConversation = string | readonly JsonObject[];

/** Validated conversation. */
export interface Conversation {
  /** Content as given. */
  readonly given: GivenConversation;
  readonly format: ConversationFormat;
}

/**
 * Validates a conversation. A list counts as messages regardless of the format, and so does a JSON list as text in the format
 * `messages`.
 *
 * @throws INVALID_INPUT for an invalid or empty conversation; TOO_LARGE over 10 MB.
 */
export function readConversation(given: unknown, format: unknown = "plain"): Conversation {
  if (!CONVERSATION_FORMATS.includes(format as ConversationFormat)) {
    throw invalid("format", `format must be one of ${CONVERSATION_FORMATS.join(", ")}`);
  }
  if (given === undefined || given === null || given === "") throw empty();
  if (Array.isArray(given)) return { given: checkMessages(given), format: "messages" };
  if (typeof given !== "string") throw invalid("conversation", `Conversation must be a text or a list of messages, not ${typeName(given)}`);
  checkSize(given);
  return format === "plain" ? { given, format } : { given: checkMessages(messagesIn(given)), format: "messages" };
}

/** Returns the bytes of a conversation in UTF-8, messages as JSON text. */
export function sizeOf({ given }: Conversation): number {
  return encodeUtf8(typeof given === "string" ? given : JSON.stringify(given)).length;
}

function messagesIn(text: string): readonly unknown[] {
  try {
    const parsed = parseJson(text);
    if (Array.isArray(parsed)) return parsed;
  } catch {
    // Refused below, because it is a text.
  }
  throw invalid("conversation", 'With the format "messages" conversation must be a list of messages');
}

function checkMessages(messages: readonly unknown[]): readonly JsonObject[] {
  // The number of members is not limited, only the size.
  checkJson(messages, { maxDepth: DEFAULT_LIMITS.maxDepth, maxKeys: Number.POSITIVE_INFINITY }, "conversation");
  const wrong = messages.findIndex((message) => !isMessage(message));
  if (wrong !== -1) {
    throw invalid(`conversation[${wrong}]`, `conversation[${wrong}] must be a message: an object with a role and a content`);
  }
  checkSize(JSON.stringify(messages));
  // Copies the list, because it is saved later and the caller may change it.
  return ownJson(messages as readonly JsonObject[]) as readonly JsonObject[];
}

/** True for a message. Some APIs mix tool calls into the messages, with a type instead of a role. */
function isMessage(message: unknown): message is JsonObject {
  if (!isJsonObject(message)) return false;
  const { role, type } = message;
  return role === undefined ? typeof type === "string" : typeof role === "string";
}

function checkSize(text: string): void {
  const { mostBytes } = CONVERSATION_LIMITS;
  // A character has at most three bytes of UTF-8 per unit, and at least one.
  if (text.length * 3 <= mostBytes) return;
  const sizeBytes = text.length > mostBytes ? undefined : encodeUtf8(text).length;
  if (sizeBytes !== undefined && sizeBytes <= mostBytes) return;
  throw new WorkrailError("TOO_LARGE", "The conversation is larger than 10MB", {
    details: { limit: "mostBytes", mostBytes, ...(sizeBytes === undefined ? {} : { sizeBytes }) },
    hint: "Nothing was stored. Store it in parts of at most 10,485,760 bytes, or leave out text that is also in files.",
  });
}

function typeName(value: unknown): string {
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function empty(): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "Conversation cannot be empty", { details: { field: "conversation" } });
}

function invalid(field: string, message: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", message, {
    details: { field },
    hint: 'Send the conversation as a text, or as a list of messages such as {"role": "user", "content": "..."}.',
  });
}
