/** Limits on a stored conversation. */
export interface ConversationLimits {
  /** Bytes of a conversation: UTF-8 of the text, or of the messages as JSON text. */
  readonly mostBytes: number;
  /** Bytes of a transcript's content in UTF-8. */
  readonly transcriptBytes: number;
  /** Characters (code points) of a topic. */
  readonly topicLength: number;
  /** Characters (code points) of a topic in a file name. */
  readonly fileTopicLength: number;
  /** Number of counters tried after a name that is taken. */
  readonly nameAttempts: number;
}

const MiB = 1024 * 1024;

/** Values of the specification. */
export const CONVERSATION_LIMITS: ConversationLimits = {
  mostBytes: 10 * MiB,
  transcriptBytes: MiB,
  topicLength: 100,
  fileTopicLength: 50,
  nameAttempts: 1_000,
};
