import type { JsonObject } from "./context.ts";

/** What an agent and its user said to each other, in one of the forms that `store_session` takes: a text, or messages. */
export type GivenConversation = string | readonly JsonObject[];

export const CONVERSATION_FORMATS: readonly ["plain", "messages"] = ["plain", "messages"];
/** `plain`: a text. `messages`: objects with a `role` and a `content`, in the shapes of the model APIs. */
export type ConversationFormat = (typeof CONVERSATION_FORMATS)[number];

/** Every number that a stored conversation is measured against. */
export interface ConversationLimits {
  /** Of a conversation as UTF-8, messages as JSON text. */
  readonly mostBytes: number;
  /** Of what a transcript shows, as UTF-8. */
  readonly transcriptBytes: number;
  /** Characters (code points) of a topic. */
  readonly topicLength: number;
  /** Likewise, of a topic in the name of a file. */
  readonly fileTopicLength: number;
  /** How often a counter is put behind a name that is taken. */
  readonly nameAttempts: number;
}

const MiB = 1024 * 1024;

/** The specification's. */
export const CONVERSATION_LIMITS: ConversationLimits = {
  mostBytes: 10 * MiB,
  transcriptBytes: MiB,
  topicLength: 100,
  fileTopicLength: 50,
  nameAttempts: 1_000,
};
