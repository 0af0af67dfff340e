import { isWorkrailError, type Workrail } from "@workrail/runtime";
import type { ModelMessage } from "ai";
import { messagesFromJson } from "./message-json.ts";

/** Names a session, for its latest messages, or one of its checkpoints. */
export type MessagesOf = { readonly sessionId: string } | { readonly checkpointId: string };

/**
 * Loads the messages of a conversation. A session that does not exist has none.
 *
 * @typeParam Message the type that was saved, `ModelMessage` or a `UIMessage`; it is not checked.
 * @throws CHECKPOINT_NOT_FOUND, and the other errors of loading.
 */
export async function loadMessages<Message extends object = ModelMessage>(store: Workrail, of: MessagesOf): Promise<Message[]> {
  return (await findMessages<Message>(store, of)).messages;
}

interface FoundMessages<Message> {
  readonly messages: Message[];
  /** The checkpoint that holds them. `null`: the session does not exist. */
  readonly checkpointId: string | null;
}

export async function findMessages<Message extends object>(store: Workrail, of: MessagesOf): Promise<FoundMessages<Message>> {
  try {
    const { checkpointId, context } = await store.loadCheckpoint(of);
    return { messages: messagesFromJson(context["messages"]), checkpointId };
  } catch (error) {
    if (!isWorkrailError(error) || error.code !== "SESSION_NOT_FOUND") throw error;
    return { messages: [], checkpointId: null };
  }
}
