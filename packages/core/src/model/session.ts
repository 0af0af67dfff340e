import type { CheckpointId, SessionId } from "./ids.ts";

export interface ChangedSession {
  readonly sessionId: SessionId;
  /** True when the only change was that checkpoints were added at the end. */
  readonly isExtended: boolean;
}

/** Ordered chain of checkpoints of one piece of work. */
export interface Session {
  readonly id: SessionId;
  readonly createdAt: Date;
  /** Last save to the session, or load from it. */
  readonly lastAccessedAt: Date;
  readonly tags: readonly string[];
  /** Keys of entries that are always CRITICAL, in the order they were pinned. */
  readonly pins: readonly string[];
  /** Checkpoints as a listing shows them: damaged ones included, asides excluded. */
  readonly checkpointCount: number;
  readonly asideCount: number;
  /** Damaged checkpoints and damaged asides. */
  readonly damagedCount: number;
  /** Stored bytes of all its blobs, damaged ones at their former size. Excludes the trash. */
  readonly totalSizeBytes: number;
}

/** Tag that protects from automatic removal: on a checkpoint, that checkpoint; on a session, all of its checkpoints. */
export const KEEP_TAG = "keep";

/** Promise that no automatic removal takes a checkpoint before a time. A deliberate removal overrides it. */
export interface Shield {
  readonly checkpointId: CheckpointId;
  readonly until: Date;
}

/** Changeable facts of a session that must survive the loss of the catalog. */
export interface SessionFacts {
  readonly sessionId: SessionId;
  readonly createdAt: Date;
  readonly tags: readonly string[];
  readonly pins: readonly string[];
  /** Removed checkpoints whose blobs may still exist. A rebuild must not bring them back. */
  readonly tombstones: readonly CheckpointId[];
  /** Removed checkpoints whose erasure is unfinished. A rebuild continues the erasure. */
  readonly erasing: readonly CheckpointId[];
  /** After a prune: the oldest workflow checkpoint left. Its ancestors of that kind were removed for good. */
  readonly oldestLive: CheckpointId | null;
  /** Checkpoints in the trash. A rebuild must return them to the trash, not to life. */
  readonly trash: readonly { readonly checkpointId: CheckpointId; readonly at: Date }[];
  /** Shields of checkpoints with handles, including those in the trash. */
  readonly shields: readonly Shield[];
}
