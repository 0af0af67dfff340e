import { type ChatOptions, workrailChat, type WorkrailChat } from "@workrail/ai-sdk";
import { openWorkrail, type Workrail } from "@workrail/runtime";
import type { UIMessage } from "ai";

/** The store is opened once for each process, by the first request. */
let store: Promise<Workrail> | undefined;

/** Loads a chat by its id. */
export async function useWorkrail<Message extends UIMessage>(
  id: string,
  options: Omit<ChatOptions, "sessionId"> = {},
): Promise<WorkrailChat<Message>> {
  store ??= openWorkrail();
  return workrailChat<Message>(await store, { ...options, sessionId: `chat ${id}` });
}
