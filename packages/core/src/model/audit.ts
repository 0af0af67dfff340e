import type { CheckpointId, SessionId } from "./ids.ts";

/**
 * What the audit log tells of. `audit-cut`: the oldest rows of the log itself were removed. `configure`: a setting in `config.json` was
 * changed; the reason names it. `seal`, `unseal`, `rekey`: the store was encrypted, decrypted, or got another key.
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

/** The reason of a `delete` after which nothing of the checkpoint may be left. */
export const ERASED = "erased";

/** The reason, or the end of it, of what was begun as the row before tells, and failed without a change. */
export const FAILED = "failed";

/** One line of the audit log: who did what, when. Never holds a value out of a context. */
export interface AuditEvent {
  readonly at: Date;
  readonly action: AuditAction;
  readonly sessionId: SessionId | undefined;
  readonly checkpointId: CheckpointId | undefined;
  readonly agentId: string | undefined;
  /** Why, where the action alone does not tell, such as `retention`. */
  readonly reason?: string | undefined;
}

/** An event as the log has it: a row in the chain of all rows. */
export interface LoggedEvent extends AuditEvent {
  /** From 1, without a gap. */
  readonly number: number;
  /** Of the row and the one before it, 32 hexadecimal digits; `undefined` for a row from before rows were chained. */
  readonly digest: string | undefined;
}

/**
 * Digests a text: 32 hexadecimal digits or more, of which the first 32 count. SHA-256 finds accidents; one that is keyed finds whoever
 * does not have the key, too.
 */
export type AuditDigest = (text: string) => string;

/** A row of the log, as far as the one behind it hangs on it. */
export interface AuditPlace {
  readonly number: number;
  readonly digest: string;
}

/**
 * Where the chain breaks. `changed`: the row is not what it was, or not where it was. `missing`: the rows from this one to `through` are not
 * there. `unchained`: it has no digest, and rows before it have one.
 */
export interface AuditBreak {
  readonly kind: "changed" | "missing" | "unchained";
  readonly number: number;
  readonly through?: number;
}

export interface LinkCheck {
  readonly breaks: readonly AuditBreak[];
  /** Rows from before rows were chained. */
  readonly unchained: number;
  /** The last row that was looked at. */
  readonly place: AuditPlace;
}
