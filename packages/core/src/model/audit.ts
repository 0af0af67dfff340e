import type { CheckpointId, SessionId } from "./ids.ts";

/**
 * Actions recorded in the audit log. `audit-cut`: the oldest rows of the log were removed. `configure`: a setting in
 * `config.json` changed; the reason names it. `seal`, `unseal`, `rekey`: the store was encrypted, decrypted, or got a new key.
 */
export const AUDIT_ACTIONS = [
  "save",
  "load",
  "pin",
  "unpin",
  "tag",
  "prune",
  "trash",
  "restore",
  "delete",
  "quarantine",
  "rebuild",
  "export",
  "import",
  "backup",
  "clean-up",
  "audit-cut",
  "configure",
  "seal",
  "unseal",
  "rekey",
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Reason of a `delete` after which nothing of the checkpoint may remain. */
export const ERASED = "erased";

/** Reason, or its last word, of a row for an operation that failed without a change. The row before it records the start. */
export const FAILED = "failed";

/** One line of the audit log: who did what, when. Never holds a value out of a context. */
export interface AuditEvent {
  readonly at: Date;
  readonly action: AuditAction;
  readonly sessionId: SessionId | undefined;
  readonly checkpointId: CheckpointId | undefined;
  readonly agentId: string | undefined;
  /** The caller, as proved by a token: unlike `agentId`, a caller cannot choose it. Absent where callers prove nothing. */
  readonly subject?: string | undefined;
  /** Explanation where the action alone is not enough, such as `retention`. */
  readonly reason?: string | undefined;
}

/** Event as a row in the chain of the log. */
export interface LoggedEvent extends AuditEvent {
  /** Row number from 1, without gaps. */
  readonly number: number;
  /** Digest of this row and the row before it, 32 hexadecimal digits; `undefined` for a row written before chaining was introduced. */
  readonly digest: string | undefined;
}

/**
 * Digests a text into at least 32 hexadecimal digits, of which the first 32 count. SHA-256 detects accidents. A keyed digest also detects
 * changes made without the key.
 */
export type AuditDigest = (text: string) => string;

/** Number and digest of a row: the data that the next row is chained to. */
export interface AuditPlace {
  readonly number: number;
  readonly digest: string;
}

/**
 * Break in the chain. `changed`: the row was changed or moved. `missing`: the rows from `number` to `through` are missing.
 * `unchained`: the row has no digest although earlier rows have one.
 */
export interface AuditBreak {
  readonly kind: "changed" | "missing" | "unchained";
  readonly number: number;
  readonly through?: number;
}

export interface LinkCheck {
  readonly breaks: readonly AuditBreak[];
  /** Rows written before chaining was introduced. */
  readonly unchained: number;
  /** Last examined row. */
  readonly place: AuditPlace;
}
