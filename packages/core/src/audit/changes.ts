import type { AuditAction, LoggedEvent } from "../model/audit.ts";
import type { ChangePosition, SessionId } from "../model/ids.ts";
import type { ChangePage } from "../ports/catalog.ts";

/** What a row of the audit log says of changes. */
type NumberedEvent = Pick<LoggedEvent, "number" | "action" | "at" | "sessionId">;

/** Rows of these tell of no checkpoint or tag that came or went. */
const CHANGES_NOTHING: ReadonlySet<AuditAction> = new Set<AuditAction>([
  "load",
  "pin",
  "unpin",
  "export",
  "backup",
  "clean-up",
  "audit-cut",
  "configure",
  "seal",
  "unseal",
  "rekey",
]);

/** Rows of these tell of a checkpoint that came behind all others, or of nothing but tags. */
const EXTENDS: ReadonlySet<AuditAction> = new Set<AuditAction>(["save", "import", "tag"]);

/** Before the first row. */
const START = 0;

/** The position behind a row. Its time goes with it, so that another history, after a restore for instance, is noticed. */
export function positionBehind(last: NumberedEvent | undefined): ChangePosition {
  return (last === undefined ? `${START}.` : `${last.number}.${last.at.getTime()}`) as ChangePosition;
}

/** The number of the row that a position is behind of; 0 when it is before the first. */
export function rowBefore(position: ChangePosition): number {
  return Number.parseInt(position, 10);
}

/**
 * What rows of the audit log say of changes.
 *
 * @param rows those behind the position, oldest first, at most one more than `limit`.
 * @returns `undefined` when a rebuild is among them, which says of no session what became of it, or when rows between were cut off.
 */
export function changesIn(after: ChangePosition, rows: readonly NumberedEvent[], limit: number): ChangePage | undefined {
  const shown = rows.slice(0, limit);
  if (shown[0] !== undefined && shown[0].number !== rowBefore(after) + 1) return undefined;
  if (shown.some(({ action }) => action === "rebuild")) return undefined;
  const sessions = new Map<SessionId, boolean>();
  for (const { action, sessionId } of shown) {
    if (sessionId === undefined || CHANGES_NOTHING.has(action)) continue;
    sessions.set(sessionId, EXTENDS.has(action) && sessions.get(sessionId) !== false);
  }
  const last = shown.at(-1);
  return {
    sessions: [...sessions].map(([sessionId, isExtended]) => ({ sessionId, isExtended })),
    position: last === undefined ? after : positionBehind(last),
    hasMore: rows.length > limit,
    rows: shown.length,
  };
}
