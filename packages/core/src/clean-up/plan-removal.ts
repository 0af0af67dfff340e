import { WorkrailError } from "../errors.ts";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import { type CheckpointView, type CleanUpPlan, planMove, type SessionView, spare } from "./plan.ts";

/** Selection of checkpoints to remove. All conditions must hold; at least one of the first five must be given. */
export interface Selection {
  /** Only these checkpoints. */
  readonly checkpointIds?: readonly CheckpointId[] | undefined;
  readonly sessionId?: SessionId | undefined;
  /** Only sessions that were not used for this long, in milliseconds. */
  readonly unusedForMs?: number | undefined;
  /** Keeps this many of the newest checkpoints of each session. At least 1. */
  readonly keepLast?: number | undefined;
  /** Only checkpoints of this project. */
  readonly project?: string | undefined;
  /** Removes permanently instead of moving to the trash. Default `false`. */
  readonly permanently?: boolean | undefined;
  /** Also removes checkpoints that are tagged `keep`. Default `false`. */
  readonly includeKept?: boolean | undefined;
}

/**
 * Validates a selection.
 *
 * @throws INVALID_INPUT for a selection that would remove everything, or has an invalid value.
 */
export function checkSelection({ checkpointIds, sessionId, unusedForMs, keepLast, project }: Selection): void {
  if ([checkpointIds, sessionId, unusedForMs, keepLast, project].every((each) => each === undefined)) {
    throw invalid("Nothing was selected for removal.", "sessionId");
  }
  if (unusedForMs !== undefined && !isDuration(unusedForMs)) throw invalid("unusedForMs must be a duration from 0.", "unusedForMs");
  if (keepLast !== undefined && !(Number.isSafeInteger(keepLast) && keepLast >= 1)) {
    throw invalid("keepLast must be a whole number from 1.", "keepLast");
  }
  if (project !== undefined && typeof project !== "string") throw invalid("project must be a path.", "project");
}

/** Rejects values that are not numbers: they would select everything. */
function isDuration(given: unknown): boolean {
  return typeof given === "number" && given >= 0 && given <= Number.MAX_SAFE_INTEGER;
}

/** Plans the removal of selected checkpoints. The caller has already filtered the sessions by session, use and project. */
export function planRemoval(sessions: readonly SessionView[], selection: Selection): CleanUpPlan {
  const to = selection.permanently === true ? "nowhere" : "trash";
  const plans = sessions.map((session) => {
    const selected = beforeNewest(session.checkpoints, selection.keepLast ?? 0).filter(({ id, project }) => {
      const isNamed = selection.checkpointIds?.includes(id) ?? true;
      return isNamed && (selection.project === undefined || project === selection.project);
    });
    const stays = ({ isKept }: CheckpointView): boolean => selection.includeKept !== true && (isKept || session.isKept);
    const going = selected.filter((each) => !stays(each));
    return { moves: planMove(session, going, { to, reason: "manual" }), spared: spare(session, selected.filter(stays), "keep") };
  });
  return { moves: plans.flatMap(({ moves }) => moves), spared: plans.flatMap(({ spared }) => spared) };
}

/** Returns the checkpoints before the newest `count` possible heads. */
function beforeNewest(checkpoints: readonly CheckpointView[], count: number): readonly CheckpointView[] {
  if (count === 0) return checkpoints;
  const heads = checkpoints.filter(({ canBeHead }) => canBeHead);
  const oldest = heads.at(-count);
  return oldest === undefined ? [] : checkpoints.slice(0, checkpoints.indexOf(oldest));
}

function invalid(message: string, field: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", message, { details: { field } });
}
