import type { AuditAction, LoggedEvent } from "../model/audit.ts";
import type { ChangePosition, SessionId } from "../model/ids.ts";
import type { ChangePage } from "../ports/catalog.ts";

/** Fields of an audit row that describe a change. */
type NumberedEvent = Pick<LoggedEvent, "number" | "action" | "at" | "sessionId">;

/** Actions that add or remove no checkpoint and no tag. */
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

/** Actions that only add a checkpoint at the end, or only change tags. */
const EXTENDS: ReadonlySet<AuditAction> = new Set<AuditAction>(["save", "import", "tag"]);

/** Number before the first row. */
const START = 0;

/**
 * Returns the position after a row. It includes the row's time, so that a different history, for example after a restore, is
 * detected.
 */
export function positionBehind(last: NumberedEvent | undefined): ChangePosition {
  return (last === undefined ? `${START}.` : `${last.number}.${last.at.getTime()}`) as ChangePosition;
}

/** Returns the number of the row before a position; 0 at the start. */
export function rowBefore(position: ChangePosition): number {
  return Number.parseInt(position, 10);
}

/**
 * Extracts the changed sessions from rows of the audit log.
 *
 * @param rows rows after the position, oldest first, at most one more than `limit`.
 * @returns `undefined` when the rows include a rebuild, which does not list its changes, or when rows in between were cut.
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
