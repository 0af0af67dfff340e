import type { CheckpointId, SessionId } from "./ids.ts";

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
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

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
