// Conversations as files and checkpoints. An entry of its own, because views are not needed to store one.
export { storeConversation } from "./store-conversation.ts";
export type {
  ConversationCheckpoint,
  ConversationInput,
  ConversationPorts,
  KeptConversation,
  StoredConversation,
} from "./store-conversation.ts";
