export interface WatchChangesParams {
  /** As for `listSessions`. */
  readonly project?: string | null | undefined;
  /** Ends the watch. */
  readonly signal?: AbortSignal | undefined;
}

/** The change of one session. */
export interface SessionChange {
  readonly sessionId: string;
  /** `added`: it is new. `extended`: it only got checkpoints or tags. `changed`: it also lost some. `removed`: it holds none any more. */
  readonly change: "added" | "extended" | "changed" | "removed";
}

/** Changes of a store since the ones before. */
export interface StoreChanges {
  /** Each session once. */
  readonly sessions: readonly SessionChange[];
  /** True when the store cannot tell what changed, for instance after a repair: any session may have. */
  readonly isUnknown?: true;
}
