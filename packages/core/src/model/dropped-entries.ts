/** Top-level entries that a checkpoint's parent had and the checkpoint has not. */
export interface DroppedEntries {
  /** Pinned ones first, then CRITICAL ones, then the others. */
  readonly keys: readonly string[];
  readonly pinned: readonly string[];
  readonly critical: readonly string[];
}

/** As much of them as a checkpoint tells whenever it is loaded. */
export interface NamedKeys {
  readonly keys: readonly string[];
  /** How many there are in all. */
  readonly count: number;
}
