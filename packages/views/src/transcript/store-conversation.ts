import {
  type Clock,
  type ConversationFormat,
  type FindSecrets,
  isWorkrailError,
  type JsonObject,
  parseJson,
  placesInWords,
  screenSecrets,
  type SecretScreen,
  type SecretsReport,
  type TranscriptFiles,
  WorkrailError,
} from "@workrail/core";
import { type Conversation, readConversation, sizeOf } from "./read-conversation.ts";
import { readTurns } from "./read-turns.ts";
import { renderTranscript } from "./render-transcript.ts";
import { topicOf } from "./topic.ts";
import { transcriptPath } from "./transcript-path.ts";

/** Conversation as a checkpoint of the store. */
export interface ConversationCheckpoint {
  readonly name: string;
  readonly context: JsonObject;
  readonly agentId: string | undefined;
}

export interface ConversationPorts {
  readonly clock: Clock;
  readonly transcripts: TranscriptFiles;
  /** Handling of secrets in saved data. Default: no search for secrets. */
  readonly secrets?: SecretScreen | undefined;
  /** Finds the secrets in a line of the conversation that becomes its topic. */
  readonly findSecrets: FindSecrets;
  /** Saves the whole conversation. A `WorkrailError` becomes a warning, and the transcript is written anyway. */
  readonly keep: (checkpoint: ConversationCheckpoint) => Promise<KeptConversation>;
}

export interface KeptConversation {
  readonly checkpointId: string;
  readonly sessionId: string;
  /** Warning about the save, if any. */
  readonly warning?: string | undefined;
}

export interface ConversationInput {
  /** A text, or messages. */
  readonly conversation: unknown;
  /** Default: taken from the first thing the user said. */
  readonly topic?: string | undefined;
  /** Default `plain`. A list is always read as messages. */
  readonly format?: ConversationFormat | undefined;
  readonly agentId?: string | undefined;
}

export interface StoredConversation {
  /** Absolute path of the transcript. */
  readonly file: string;
  readonly filename: string;
  readonly topic: string;
  readonly date: Date;
  /** Absent when the store did not take the conversation. */
  readonly kept: KeptConversation | undefined;
  /** Warnings for the caller, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Saves a conversation twice: whole as a searchable checkpoint, and as a page for people in the project.
 *
 * @throws INVALID_INPUT, TOO_LARGE and SECRET_FOUND for the conversation, before anything is written; the errors of
 * `TranscriptFiles`: then `details.checkpointId` names the checkpoint that was saved anyway.
 */
export async function storeConversation(ports: ConversationPorts, input: ConversationInput): Promise<StoredConversation> {
  const { conversation, givenTopic, report } = await screened(ports.secrets, input);
  const date = ports.clock.now();
  const turns = readTurns(conversation);
  const { topic, isFallback } = topicOf(givenTopic, turns, ports.findSecrets);
  const { agentId } = input;
  const context = { topic, format: conversation.format, conversation: conversation.given };
  const { kept, warning } = await keepIfPossible(ports, { name: topic, context, agentId });
  const transcript = renderTranscript(turns, { topic, date, agentId, checkpointId: kept?.checkpointId, sizeBytes: sizeOf(conversation) });
  const { file, filename, isInProject } = await ports.transcripts
    .write({ ...transcriptPath(topic, date), text: transcript.text })
    .catch((error: unknown) => {
      throw kept === undefined ? error : withCheckpoint(error, kept);
    });
  const warnings = [
    ...(turns.every(({ parts }) => parts.length === 0) ? ["Conversation is empty"] : []),
    ...(isInProject ? [] : ["Using current directory as project root"]),
    ...(isFallback ? [`No topic could be extracted, using "${topic}"`] : []),
    ...(transcript.isCut ? ["Conversation truncated to 1MB"] : []),
    ...(warning === undefined ? [] : [warning]),
    ...(report === undefined ? [] : [warningOf(report)]),
  ];
  return { file, filename, topic, date, kept, warnings };
}

/** Searches for secrets once for both outputs, so that the page shows nothing that the checkpoint hides. */
async function screened(
  secrets: SecretScreen | undefined,
  { conversation: given, topic, format }: ConversationInput,
): Promise<{ readonly conversation: Conversation; readonly givenTopic: string | undefined; readonly report?: SecretsReport }> {
  const conversation = readConversation(given, format);
  const text = JSON.stringify({ topic, conversation: conversation.given });
  const { report, redacted } = await screenSecrets(secrets, { context: () => [text], labels: "{}" });
  if (report === undefined) return { conversation, givenTopic: topic };
  if (redacted === undefined) return { conversation, givenTopic: topic, report };
  const changed = parseJson(redacted.context) as unknown as Pick<ConversationInput, "conversation" | "topic">;
  return { conversation: readConversation(changed.conversation, conversation.format), givenTopic: changed.topic, report };
}

function warningOf(report: SecretsReport): string {
  const places = placesInWords(report);
  return report.action === "redacted"
    ? `Possible secrets were replaced by placeholders: ${places}`
    : `It contains a possible secret, unencrypted in the file and in the store: ${places}`;
}

async function keepIfPossible(
  { keep }: ConversationPorts,
  checkpoint: ConversationCheckpoint,
): Promise<{ readonly kept?: KeptConversation; readonly warning?: string | undefined }> {
  try {
    const kept = await keep(checkpoint);
    return { kept, warning: kept.warning };
  } catch (error) {
    if (!isWorkrailError(error)) throw error;
    return { warning: `The store did not take the conversation, which is in the file alone (${error.code}: ${error.message})` };
  }
}

/** Adds the saved checkpoint to the error of a failed transcript. */
function withCheckpoint(error: unknown, { checkpointId, sessionId }: KeptConversation): unknown {
  if (!isWorkrailError(error)) return error;
  const { code, message, details, hint = "" } = error;
  return new WorkrailError(code, message, {
    details: { ...details, checkpointId, sessionId },
    hint: `${hint} The whole conversation is in the store, as checkpoint ${checkpointId}.`.trim(),
    cause: error,
  });
}
