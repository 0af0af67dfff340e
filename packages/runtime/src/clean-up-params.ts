import { type CleanUpOptions, parseCheckpointId, parseSessionId, type Selection, WorkrailError } from "@workrail/core";
import type { CheckpointMetadata } from "./context-management-service.ts";

/** What is to be removed: without any of the first five, what the store would remove of its own accord. */
export interface CleanUpParams {
  /** Only these. */
  readonly checkpointIds?: readonly string[] | undefined;
  readonly sessionId?: string | undefined;
  /** Of sessions that were not used for this long, in milliseconds. */
  readonly unusedForMs?: number | undefined;
  /** All but the newest of each session, this many. */
  readonly keepLast?: number | undefined;
  /** Checkpoints of this project, an absolute path. */
  readonly project?: string | undefined;
  /** For good, and not into the trash. Default `false`. */
  readonly permanently?: boolean | undefined;
  /** Also what is tagged `keep`. Default `false`. */
  readonly includeKept?: boolean | undefined;
  /** Tell what would be removed, and change nothing. Default `false`. */
  readonly dryRun?: boolean | undefined;
  /** Told of what moves, and of each file that is removed. */
  readonly onProgress?: CleanUpOptions["onProgress"];
}

export interface EmptyTrashParams extends Pick<CleanUpParams, "dryRun" | "onProgress"> {
  /** Only what belongs to this session. */
  readonly sessionId?: string | undefined;
}

/** A checkpoint in the trash. */
export interface TrashedMetadata extends CheckpointMetadata {
  /** ISO 8601. */
  trashedAt: string;
}

export interface FromTrashParams {
  readonly sessionId: string;
  /** Default: all that there is of the session in the trash. */
  readonly checkpointIds?: readonly string[] | undefined;
}

export interface FromTrashResult {
  sessionId: string;
  /** What lives again. */
  checkpointIds: string[];
}

/**
 * What somebody selected; `undefined` for the store's own policy.
 *
 * @throws INVALID_INPUT when it is said how to remove, but not what.
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
  throw new WorkrailError("INVALID_INPUT", "What is to be removed? Nothing was selected.", {
    details: { field: "sessionId" },
    hint: "Name a session, a project, a time without use, or how many checkpoints are to stay.",
  });
}
