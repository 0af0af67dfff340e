export const CONVERSATION_FORMATS: readonly ["plain", "messages"] = ["plain", "messages"];
/** `plain`: a text. `messages`: objects with a `role` and a `content`, in the shapes of the model APIs. */
export type ConversationFormat = (typeof CONVERSATION_FORMATS)[number];
