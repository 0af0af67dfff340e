import {
  type Clock,
  type ConversationCheckpoint,
  type ConversationFormat,
  isWorkrailError,
  type KeptConversation,
  storeConversation,
  type TranscriptFiles,
} from "@workrail/core";
import type { IContextManagementService, SaveCheckpointParams } from "./context-management-service.ts";
import type { SecretScreening } from "./secrets/secret-screening.ts";
import type { SessionResolver } from "./session-resolver.ts";

export interface StoreConversationParams {
  /** A text, or messages with `role` and `content`, of at most 10 MB. */
  readonly conversation: string | readonly object[];
  /** What it is about; at most 100 characters of it are used. Default: out of the first thing that the user said. */
  readonly topic?: string | undefined;
  /** Default `plain`: a text. A list is taken for messages in any case. */
  readonly format?: ConversationFormat | undefined;
  readonly agentId?: string | undefined;
}

export interface StoreConversationResult {
  /** Absolute path of the Markdown file. */
  file: string;
  filename: string;
  /** Lower-case words with `-` between them. */
  topic: string;
  /** ISO 8601. */
  date: string;
  message: string;
  /** What the caller should know; several are joined by `; `. */
  warning?: string;
  /** Holds the whole conversation, under the key `conversation`. Absent when the store did not take it: `warning` says why. */
  checkpointId?: string;
  /** The session of that checkpoint: one of conversations alone. */
  sessionId?: string;
}

export interface ConversationParts {
  readonly clock: Clock;
  readonly sessions: SessionResolver;
  readonly transcripts: TranscriptFiles;
  readonly screening: Pick<SecretScreening, "screen">;
  /** What checkpoints are saved with: the store, or what it is a part of. */
  readonly service: Pick<IContextManagementService, "saveCheckpoint">;
}

/**
 * What is written is a file in clear: where a store is sealed, this is the one place to ask whether there may be any.
 *
 * @throws as `Workrail.storeConversation` says.
 */
export async function keepConversation(parts: ConversationParts, params: StoreConversationParams): Promise<StoreConversationResult> {
  const ports = { ...parts, secrets: parts.screening.screen, keep: (checkpoint: ConversationCheckpoint) => keep(parts, checkpoint) };
  const { file, filename, topic, date, kept, warnings } = await storeConversation(ports, params);
  return {
    file,
    filename,
    topic,
    date: date.toISOString(),
    message: `Session saved to ${filename}`,
    ...(warnings.length === 0 ? {} : { warning: warnings.join("; ") }),
    ...(kept === undefined ? {} : { checkpointId: kept.checkpointId, sessionId: kept.sessionId }),
  };
}

/** A conversation is no work to go on with: it is kept beside the session of the work, where it can be no head of that. */
async function keep({ service, sessions }: ConversationParts, checkpoint: ConversationCheckpoint): Promise<KeptConversation> {
  const { name, context, agentId } = checkpoint;
  const { sessionId, of } = sessions.forConversation();
  const metadata = { name, ...(of === undefined ? {} : { conversationOf: of }) };
  return save(service, { sessionId, context, metadata, agentId, kind: "conversation" });
}

async function save(service: ConversationParts["service"], params: SaveCheckpointParams): Promise<KeptConversation> {
  try {
    const { checkpointId, sessionId, quotaWarning } = await service.saveCheckpoint(params);
    return { checkpointId, sessionId, warning: quotaWarning };
  } catch (error) {
    if (!isWorkrailError(error)) throw error;
    const { retained, checkpointId, sessionId } = error.details;
    if (retained !== "memory" || typeof checkpointId !== "string" || typeof sessionId !== "string") throw error;
    // Memory stands in for the disk, and fails a save to say so: it has the conversation, under this id.
    return { checkpointId, sessionId, warning: error.message };
  }
}
