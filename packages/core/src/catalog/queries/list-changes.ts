import type { AuditAction, LoggedEvent } from "../../model/audit.ts";
import type { ChangePosition, SessionId } from "../../model/ids.ts";
import type { ChangedSession } from "../../model/session.ts";
import type { CatalogReader } from "../catalog-port.ts";
import { auditRows } from "./audit-rows.ts";

export interface ChangeQuery {
  readonly after?: ChangePosition | undefined;
  readonly limit: number;
}

export interface ChangePage {
  /** Each session once. */
  readonly sessions: readonly ChangedSession[];
  /** Position to continue from. */
  readonly position: ChangePosition;
  readonly hasMore: boolean;
  /** How far the position moved. Rows that changed no session count too. */
  readonly rows: number;
}

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

/**
 * Lists the sessions in which checkpoints or tags were added or removed since a position, at most `limit` changes per call. Returns
 * `undefined` when the position does not belong to this catalog, or the log no longer tells: after a rebuild, or a cut behind the
 * position. Then anything may have changed. Without `after`, returns the current position and no sessions.
 */
export async function listChanges(catalog: CatalogReader, { after, limit }: ChangeQuery): Promise<ChangePage | undefined> {
  if (after === undefined) {
    const [last] = await auditRows(catalog, { limit: 1 });
    return { sessions: [], position: positionBehind(last), hasMore: false, rows: 0 };
  }
  // The row before the first new one proves that the position belongs to this log.
  const before = Number.parseInt(after, 10);
  const rows = await auditRows(catalog, { first: "oldest", after: before - 1, limit: limit + 2 });
  const isThere = rows[0]?.number === before;
  if (positionBehind(isThere ? rows[0] : undefined) !== after) return undefined;
  return changesIn(after, isThere ? rows.slice(1) : rows, limit);
}

/** Includes the row's time, so that a different history, for example after a restore, is detected. */
function positionBehind(last: LoggedEvent | undefined): ChangePosition {
  return (last === undefined ? "0." : `${last.number}.${last.at.getTime()}`) as ChangePosition;
}

/** `undefined` when the rows include a rebuild, which does not list its changes, or when rows in between were cut. */
function changesIn(after: ChangePosition, rows: readonly LoggedEvent[], limit: number): ChangePage | undefined {
  const shown = rows.slice(0, limit);
  if (shown[0] !== undefined && shown[0].number !== Number.parseInt(after, 10) + 1) return undefined;
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
