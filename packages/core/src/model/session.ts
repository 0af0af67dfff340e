import type { CheckpointId, SessionId } from "./ids.ts";

/** An ordered chain of checkpoints of one piece of work. */
export interface Session {
  readonly id: SessionId;
  readonly createdAt: Date;
  /** Last save to, or load from, the session. */
  readonly lastAccessedAt: Date;
  readonly tags: readonly string[];
  /** Entries that are CRITICAL whatever they hold, by key, in the order they were pinned. */
  readonly pins: readonly string[];
  /** As many as a listing shows: damaged ones are among them, asides are not. */
  readonly checkpointCount: number;
  readonly asideCount: number;
  /** How many of both are damaged. */
  readonly damagedCount: number;
  /** Bytes of all its blobs as stored; of a damaged one, as it was. Those in the trash are not among them. */
  readonly totalSizeBytes: number;
}

/** What is tagged with it is spared by whatever removes of its own accord: a checkpoint itself, a session with all of its checkpoints. */
export const KEEP_TAG = "keep";

/** A promise that nothing removes a checkpoint of its own accord before a time. Whoever removes it on purpose breaks it. */
export interface Shield {
  readonly checkpointId: CheckpointId;
  readonly until: Date;
}

/** What can change about a session and must survive the loss of the catalog. */
export interface SessionFacts {
  readonly sessionId: SessionId;
  readonly createdAt: Date;
  readonly tags: readonly string[];
  readonly pins: readonly string[];
  /** Removed checkpoints whose blobs may still exist: a rebuild must not bring them back. */
  readonly tombstones: readonly CheckpointId[];
  /** Of what was removed, that of which nothing may be left, and something may be: a rebuild goes on with erasing it. */
  readonly erasing: readonly CheckpointId[];
  /** Once something was pruned: the oldest workflow checkpoint left. Its ancestors of that kind are gone for good. */
  readonly oldestLive: CheckpointId | null;
  /** What is in the trash: a rebuild must bring it back there, and not to life. */
  readonly trash: readonly { readonly checkpointId: CheckpointId; readonly at: Date }[];
  /** Until when each checkpoint is shielded for which a handle was given out, in the trash or not. */
  readonly shields: readonly Shield[];
}
