// Conversations as files and checkpoints. A separate entry point, because storing one needs no views.
export { storeConversation } from "./store-conversation.ts";
export type {
  ConversationCheckpoint,
  ConversationInput,
  ConversationPorts,
  KeptConversation,
  StoredConversation,
} from "./store-conversation.ts";
