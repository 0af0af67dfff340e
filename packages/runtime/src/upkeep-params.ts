import type { CleanUpReport, Job, VerifyReport } from "@workrail/core";
import type { Compacted } from "./compactor.ts";
import type { Indexed } from "./search/indexer.ts";

export interface UpkeepParams {
  /** Also reads the whole store and verifies it. Default `false`. */
  readonly verify?: boolean | undefined;
  /** Called for each piece of work. */
  readonly onProgress?: ((progress: UpkeepProgress) => void) | undefined;
  /** Stops the work after the current piece. The next run continues. */
  readonly signal?: { readonly aborted: boolean } | undefined;
}

/** Progress of the parts of the work that take longest. */
export interface UpkeepProgress {
  readonly phase: "compact" | "index" | "verify";
  readonly done: number;
  readonly total: number;
}

export interface UpkeepReport {
  /** Files of removed checkpoints that were deleted now, although the removal was decided earlier. */
  readonly finishedRemovals: number;
  /** Erasures and removals that cannot be finished now, one sentence each with the reason. The next run continues. */
  readonly left: readonly string[];
  /** Result of retention, the trash's limits and quotas, as the settings say; absent when another process is at it. */
  readonly cleanUp?: CleanUpReport | undefined;
  /** Rows of the audit log that were older than the settings allow. */
  readonly auditRows: number;
  /** Checkpoints that were stored smaller; absent when another process is at it. */
  readonly compacted?: Compacted | undefined;
  /** Sessions in the search index; absent for a store that keeps no index, and when another process is at it. */
  readonly indexed?: Indexed | undefined;
  /** Result of the verification; absent when it was not asked for, or not begun. */
  readonly verified?: VerifyReport | undefined;
  /** Jobs that another process was doing, so that they were not done here. Only a store that several machines share has any. */
  readonly elsewhere: readonly Job[];
  /** False when it was stopped. */
  readonly isComplete: boolean;
}
