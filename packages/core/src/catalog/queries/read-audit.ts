import type { AuditAction, AuditPlace, LinkCheck, LoggedEvent } from "../../model/audit.ts";
import type { CatalogReader } from "../catalog-port.ts";
import type { AuditQuery } from "../reads.ts";
import { beginningAfter, checkLinks } from "../../audit/audit-chain.ts";
import type { AuditChain } from "../../ports/storage.ts";
import type { ChangePosition, SessionId } from "../../model/ids.ts";
import type { ChangedSession } from "../../model/session.ts";

/** Returns rows of the audit log, ordered by number. */
export async function auditRows(catalog: CatalogReader, query: AuditQuery): Promise<readonly LoggedEvent[]> {
  return (await catalog.read({ rows: { of: "audit", query } })).rows;
}

export interface AuditWalk {
  /** Continue after this row. Default: from the first remaining row. */
  readonly after?: AuditPlace | undefined;
  readonly limit: number;
}

export interface AuditCheck extends LinkCheck {
  /** Number of rows examined. Fewer than `limit` means the end of the log. */
  readonly rows: number;
  /** First and last of the examined rows. */
  readonly first: LoggedEvent | undefined;
  readonly last: LoggedEvent | undefined;
  /** True when only a holder of the store's key can make a valid next row. */
  readonly isKeyed: boolean;
  /** Row that must exist according to a note outside of the catalog; `undefined` without such a note. */
  readonly noted: AuditPlace | undefined;
}

/** Verifies the chain of the audit log, at most `limit` rows per call. Changes may continue meanwhile. */
export async function checkAudit({ rows: stored, digest, isKeyed }: AuditChain, walk: AuditWalk): Promise<AuditCheck> {
  // The last cut names the row before the oldest remaining one.
  const { cut, rows, noted } = await stored.read({
    cut: { of: "audit", query: { actions: ["audit-cut"], limit: 1 } },
    rows: { of: "audit", query: { first: "oldest", after: walk.after?.number, limit: walk.limit } },
    noted: { of: "mark" },
  });
  const links = checkLinks(rows, walk.after ?? beginningAfter(cut[0]), digest);
  return { rows: rows.length, first: rows[0], last: rows.at(-1), ...links, noted, isKeyed };
}

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
  /** Rows that the position passed, including rows that changed no session. */
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
 * `undefined` when the position does not belong to this catalog, or after a rebuild or a cut of rows after it: then anything may have
 * changed. Without `after`, returns the current position and no sessions.
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
