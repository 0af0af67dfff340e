/** Top-level entries that a checkpoint's parent has and the checkpoint lacks. */
export interface DroppedEntries {
  /** Pinned entries first, then CRITICAL ones, then the others. */
  readonly keys: readonly string[];
  readonly pinned: readonly string[];
  readonly critical: readonly string[];
}

/** Excerpt of the dropped entries, reported with every load of the checkpoint. */
export interface NamedKeys {
  readonly keys: readonly string[];
  /** Total number of dropped entries. */
  readonly count: number;
}
