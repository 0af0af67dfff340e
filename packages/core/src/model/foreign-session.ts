import type { CheckpointKind } from "./checkpoint.ts";
import type { Context, JsonObject } from "./context.ts";
import type { CheckpointId, SessionId } from "./ids.ts";

/**
 * Session of another program, in the form of an export. Its ids derive from the program's ids and the content, so reading the
 * same session twice gives the same ids.
 */
export interface ForeignSession {
  readonly id: SessionId;
  readonly createdAt: Date;
  /** Program that kept the session: the `writer` of its checkpoints. */
  readonly writer: string;
  /** Agent that saved the checkpoints. */
  readonly agentId?: string | undefined;
  /** Absolute path of the project's root, if known. */
  readonly project?: string | undefined;
  /** Name for checkpoints without one of their own. */
  readonly name?: string | undefined;
  /** Keys of critical entries. Keys beyond the limit of a session are dropped from the end. */
  readonly pins?: readonly string[] | undefined;
  /** Oldest first. */
  readonly checkpoints: Iterable<ForeignCheckpoint>;
}

/** A checkpoint of a foreign session. */
export interface ForeignCheckpoint {
  readonly id: CheckpointId;
  readonly parentId: CheckpointId | null;
  readonly kind: CheckpointKind;
  readonly createdAt: Date;
  readonly context: Context;
  readonly name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly attributes?: JsonObject | undefined;
}
