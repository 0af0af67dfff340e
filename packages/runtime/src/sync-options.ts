import type { CopyStoreOptions } from "./copy-options.ts";

export interface SyncStoreOptions extends CopyStoreOptions {
  /** The store to push to: a data directory, or the URL of a database or a node. */
  readonly to: string;
}

export interface SyncStoreResult {
  readonly from: string;
  readonly to: string;
  /** Checkpoints that were written now. */
  readonly pushed: number;
  /** Checkpoints that the target had already. */
  readonly present: number;
  /** Checkpoints that were removed in the target, and stay removed. */
  readonly removedThere: number;
  /** Checkpoints whose session had another process's head in the target. The later ones of the session continue these. */
  readonly forks: readonly SyncFork[];
  /** Checkpoints that got a new id, because their id was taken. */
  readonly renamed: readonly { readonly sessionId: string; readonly checkpointId: string; readonly now: string }[];
  /** Checkpoints that could not be written, with the reason. The later ones of their sessions wait for the next call. */
  readonly refused: readonly {
    readonly sessionId: string;
    readonly checkpointId: string;
    readonly code: string;
    readonly message: string;
  }[];
  /** False when it was stopped. The same call continues. */
  readonly isComplete: boolean;
}

export interface SyncFork {
  readonly sessionId: string;
  readonly checkpointId: string;
  /** The checkpoint that it continues; `null` for a first one. */
  readonly parentId: string | null;
  /** The session's head in the target before. */
  readonly head: string;
}
