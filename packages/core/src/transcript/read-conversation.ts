import { WorkrailError } from "../errors.ts";
import { checkJson } from "../json/check-json.ts";
import { parseJson } from "../json/parse-json.ts";
import { ownJson } from "../live/own-json.ts";
import { isJsonObject, type JsonObject } from "../model/context.ts";
import { CONVERSATION_FORMATS, CONVERSATION_LIMITS, type ConversationFormat, type GivenConversation } from "../model/conversation.ts";
import { DEFAULT_LIMITS } from "../model/limits.ts";
import { encodeUtf8 } from "../platform.ts";

/** A conversation that was checked. */
export interface Conversation {
  /** As it was given. */
  readonly given: GivenConversation;
  readonly format: ConversationFormat;
}

/**
 * Checks a conversation before anything is done with it. A list is taken for messages whatever the format says, and so is
 * a text of the format `messages` that is such a list as JSON.
 *
 * @throws INVALID_INPUT for what is no conversation, or says nothing because it is `""`; TOO_LARGE over 10 MB.
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

/** Bytes of a conversation as UTF-8, messages as JSON text. */
export function sizeOf({ given }: Conversation): number {
  return encodeUtf8(typeof given === "string" ? given : JSON.stringify(given)).length;
}

function messagesIn(text: string): readonly unknown[] {
  try {
    const parsed = parseJson(text);
    if (Array.isArray(parsed)) return parsed;
  } catch {
    // It is refused below, as what it is: a text.
  }
  throw invalid("conversation", 'With the format "messages" conversation must be a list of messages');
}

function checkMessages(messages: readonly unknown[]): readonly JsonObject[] {
  // Of members there may be as many as there is room for.
  checkJson(messages, { maxDepth: DEFAULT_LIMITS.maxDepth, maxKeys: Number.POSITIVE_INFINITY }, "conversation");
  const wrong = messages.findIndex((message) => !isMessage(message));
  if (wrong !== -1) {
    throw invalid(`conversation[${wrong}]`, `conversation[${wrong}] must be a message: an object with a role and a content`);
  }
  checkSize(JSON.stringify(messages));
  // A copy: it is kept later, and the caller may go on with the list.
  return ownJson(messages as readonly JsonObject[]) as readonly JsonObject[];
}

/** Some APIs have calls of tools stand among the messages, with a type in the place of a role. */
function isMessage(message: unknown): message is JsonObject {
  if (!isJsonObject(message)) return false;
  const { role, type } = message;
  return role === undefined ? typeof type === "string" : typeof role === "string";
}

function checkSize(text: string): void {
  const { mostBytes } = CONVERSATION_LIMITS;
  // No character has more than three bytes of UTF-8, and none less than one.
  if (text.length * 3 <= mostBytes) return;
  const sizeBytes = text.length > mostBytes ? undefined : encodeUtf8(text).length;
  if (sizeBytes !== undefined && sizeBytes <= mostBytes) return;
  throw new WorkrailError("TOO_LARGE", "The conversation is larger than 10MB", {
    details: { limit: "mostBytes", mostBytes, ...(sizeBytes === undefined ? {} : { sizeBytes }) },
    hint: "Nothing was stored. Store it in parts of at most 10,485,760 bytes, or leave out what is in files anyway.",
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
