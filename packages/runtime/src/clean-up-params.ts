import { type CleanUpOptions, parseCheckpointId, parseSessionId, type Selection, WorkrailError } from "@workrail/core";
import type { CheckpointMetadata } from "./context-management-service.ts";

/** Selects the checkpoints to remove. Without any of the first five fields: those that the store would remove by its own policy. */
export interface CleanUpParams {
  /** Only these checkpoints. */
  readonly checkpointIds?: readonly string[] | undefined;
  readonly sessionId?: string | undefined;
  /** Only sessions that were not used for this long, in milliseconds. */
  readonly unusedForMs?: number | undefined;
  /** Number of newest checkpoints to keep in each session; the others are removed. */
  readonly keepLast?: number | undefined;
  /** Checkpoints of this project, an absolute path. */
  readonly project?: string | undefined;
  /** Removes for good instead of moving to the trash. Default `false`. */
  readonly permanently?: boolean | undefined;
  /** Also removes checkpoints tagged `keep`. Default `false`. */
  readonly includeKept?: boolean | undefined;
  /** Reports the checkpoints that would be removed, and changes nothing. Default `false`. */
  readonly dryRun?: boolean | undefined;
  /** Called for each checkpoint that moves and each file that is removed. */
  readonly onProgress?: CleanUpOptions["onProgress"];
}

export interface EmptyTrashParams extends Pick<CleanUpParams, "dryRun" | "onProgress"> {
  /** Only checkpoints of this session. */
  readonly sessionId?: string | undefined;
}

/** A checkpoint in the trash. */
export interface TrashedMetadata extends CheckpointMetadata {
  /** ISO 8601. */
  trashedAt: string;
}

export interface FromTrashParams {
  readonly sessionId: string;
  /** Default: all checkpoints of the session that are in the trash. */
  readonly checkpointIds?: readonly string[] | undefined;
}

export interface FromTrashResult {
  sessionId: string;
  /** Checkpoints that were restored. */
  checkpointIds: string[];
}

/**
 * Returns the selection that the caller made, or `undefined` for the store's own policy.
 *
 * @throws INVALID_INPUT when the call says how to remove but selects nothing.
 */
export function selectionOf({ checkpointIds, sessionId, ...rest }: Omit<CleanUpParams, "dryRun" | "onProgress">): Selection | undefined {
  const isSelection = [checkpointIds, sessionId, rest.unusedForMs, rest.keepLast, rest.project].some((each) => each !== undefined);
  if (isSelection) {
    return {
      ...rest,
      checkpointIds: checkpointIds?.map((id) => parseCheckpointId(id)),
      sessionId: sessionId === undefined ? undefined : parseSessionId(sessionId),
    };
  }
  if (rest.permanently !== true && rest.includeKept !== true) return undefined;
  throw new WorkrailError("INVALID_INPUT", "Nothing was selected for removal.", {
    details: { field: "sessionId" },
    hint: "Give a session, a project, a time without use, or a number of checkpoints to keep.",
  });
}
