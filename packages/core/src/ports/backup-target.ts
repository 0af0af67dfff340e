import type { CheckpointId, SessionId } from "../model/ids.ts";
import type { SessionFacts } from "../model/session.ts";
import type { BlobStore } from "./blob-store.ts";

/**
 * Takes a copy of a store. It is a backup only once `finish` has resolved; until then nobody can take it for one. Failures
 * reject with `STORAGE_UNAVAILABLE`.
 */
export interface BackupTarget {
  /** Takes the copies of blobs, and gives them back to be proven. */
  readonly blobs: BlobStore;
  /** Keeps a session's facts beside its blobs, where a rebuild finds them; durable when it resolves. */
  writeFacts(facts: SessionFacts): Promise<void>;
  /** Makes it a backup, all of it at once and durably, which tells `contents`, and of each file its size and digest. */
  finish(contents: BackupContents): Promise<void>;
  /** Removes what was written. Afterwards nothing else is called. */
  discard(): Promise<void>;
}

/** What a backup tells of itself. */
export interface BackupContents {
  /** When it was begun: whatever was saved and not removed by then is in it. */
  readonly createdAt: Date;
  /** Product and version that made it, such as `workrail/0.1.0`. */
  readonly writer: string;
  /** Live ones, each proven to come back from it exactly. */
  readonly checkpoints: number;
  /** Likewise, in the trash. */
  readonly trashed: number;
  readonly sessions: number;
  /** Checkpoints that could not be read; what there is of their bytes is in the backup all the same. */
  readonly unreadable: readonly UnreadableInBackup[];
}

export interface UnreadableInBackup {
  readonly sessionId: SessionId;
  readonly checkpointId: CheckpointId;
  /** The error code of a load. */
  readonly code: string;
}
