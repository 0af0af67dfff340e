import { type Clock, type ConversationFormat, isWorkrailError, type TranscriptFiles } from "@workrail/core";
import { type ConversationCheckpoint, type KeptConversation, storeConversation } from "@workrail/views/transcript";
import type { IContextManagementService, SaveCheckpointParams } from "./context-management-service.ts";
import type { SecretScreening } from "./secrets/secret-screening.ts";
import type { SessionResolver } from "./session-resolver.ts";

export interface StoreConversationParams {
  /** A text, or messages with `role` and `content`; at most 10 MB. */
  readonly conversation: string | readonly object[];
  /** Subject, of which 100 characters are used. Default: derived from the user's first message. */
  readonly topic?: string | undefined;
  /** Default `plain`, a text. A list is always read as messages. */
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
  /** Warnings for the caller, joined by `; `. */
  warning?: string;
  /** Checkpoint with the whole conversation under the key `conversation`. Absent when the store did not take it; `warning` says why. */
  checkpointId?: string;
  /** Session of that checkpoint, which holds conversations only. */
  sessionId?: string;
}

export interface ConversationParts {
  readonly clock: Clock;
  readonly sessions: SessionResolver;
  readonly transcripts: TranscriptFiles;
  readonly screening: Pick<SecretScreening, "findSecrets" | "screen">;
  /** Saves the checkpoints: the store, or a wrapper of it. */
  readonly service: Pick<IContextManagementService, "saveCheckpoint">;
}

/**
 * Writes a conversation to an unencrypted file and saves it as a checkpoint.
 *
 * A caller with a sealed store must check first that unencrypted files are allowed.
 *
 * @throws as documented at `Workrail.storeConversation`.
 */
export async function keepConversation(parts: ConversationParts, params: StoreConversationParams): Promise<StoreConversationResult> {
  const { screen: secrets, findSecrets } = parts.screening;
  const ports = { ...parts, secrets, findSecrets, keep: (checkpoint: ConversationCheckpoint) => keep(parts, checkpoint) };
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

/** Saves the conversation in its own session, because it must not become the head of the workflow session. */
async function keep({ service, sessions }: ConversationParts, checkpoint: ConversationCheckpoint): Promise<KeptConversation> {
  const { name, context, agentId } = checkpoint;
  const { sessionId, of } = sessions.forConversation();
  const metadata = { name, ...(of === undefined ? {} : { attributes: { conversationOf: of } }) };
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
    // The disk failed and the memory fallback holds the conversation under this id. The save rejects to say so.
    return { checkpointId, sessionId, warning: error.message };
  }
}
