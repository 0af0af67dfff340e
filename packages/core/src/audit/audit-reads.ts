import type { AuditDigest, LoggedEvent } from "../model/audit.ts";
import type { AuditCheck, AuditQuery, AuditWalk, ChangePage, ChangeQuery } from "../ports/catalog.ts";
import { checkLinks } from "./audit-chain.ts";
import { beginningAfter } from "./audit-cut.ts";
import { changesIn, positionBehind, rowBefore } from "./changes.ts";

/** Reads rows of a catalog's audit log. Consecutive calls must see the same log: no row may be added or cut in between. */
export type AuditRows = (query: AuditQuery) => readonly LoggedEvent[];

/** Verifies the next rows of the log. */
export function auditCheck(rowsOf: AuditRows, { after, limit }: AuditWalk, digest: AuditDigest): Omit<AuditCheck, "isKeyed" | "noted"> {
  const from = after ?? beginningAfter(rowsOf({ actions: ["audit-cut"], limit: 1 })[0]);
  const rows = rowsOf({ first: "oldest", after: from.number, limit });
  return { rows: rows.length, first: rows[0], last: rows.at(-1), ...checkLinks(rows, from, digest) };
}

/** Returns the rows that `changePage` reads. */
export function changeRows({ after, limit }: ChangeQuery): AuditQuery {
  // The row before the first new one proves that the position belongs to this log.
  return after === undefined ? { limit: 1 } : { first: "oldest", after: rowBefore(after) - 1, limit: limit + 2 };
}

/** Returns the sessions changed since a position; `undefined` when the log no longer reaches back to the position. */
export function changePage(rowsOf: AuditRows, query: ChangeQuery): ChangePage | undefined {
  const { after, limit } = query;
  const rows = rowsOf(changeRows(query));
  if (after === undefined) return { sessions: [], position: positionBehind(rows[0]), hasMore: false, rows: 0 };
  const isThere = rows[0]?.number === rowBefore(after);
  if (positionBehind(isThere ? rows[0] : undefined) !== after) return undefined;
  return changesIn(after, isThere ? rows.slice(1) : rows, limit);
}
