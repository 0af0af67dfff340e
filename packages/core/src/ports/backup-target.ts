import type { CheckpointId, SessionId } from "../model/ids.ts";
import type { SessionFacts } from "../model/session.ts";
import type { BlobStore } from "./blob-store.ts";

/**
 * Receives the copy of a store. The copy counts as a backup only after `finish` has resolved. Failures reject with
 * `STORAGE_UNAVAILABLE`.
 */
export interface BackupTarget {
  /** Receives the copied blobs and returns them for verification. */
  readonly blobs: BlobStore;
  /** Writes a session's facts next to its blobs, where a rebuild finds them. Durable when it resolves. */
  writeFacts(facts: SessionFacts): Promise<void>;
  /** Turns the copy into a backup, atomically and durably. Records `contents`, and the size and digest of each file. */
  finish(contents: BackupContents): Promise<void>;
  /** Removes everything written so far. No other method is called afterwards. */
  discard(): Promise<void>;
}

/** Summary that a backup holds about itself. */
export interface BackupContents {
  /** Start of the backup. It contains every checkpoint saved, and not removed, before this time. */
  readonly createdAt: Date;
  /** Product and version that made it, such as `workrail/0.1.0`. */
  readonly writer: string;
  /** Live checkpoints, each proven to load back from the backup exactly. */
  readonly checkpoints: number;
  /** Verified checkpoints in the trash. */
  readonly trashed: number;
  readonly sessions: number;
  /** Checkpoints that could not be read. The bytes that exist are still in the backup. */
  readonly unreadable: readonly UnreadableInBackup[];
}

export interface UnreadableInBackup {
  readonly sessionId: SessionId;
  readonly checkpointId: CheckpointId;
  /** Error code that a load of the checkpoint reports. */
  readonly code: string;
}
