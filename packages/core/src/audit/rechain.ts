import type { AuditDigest, AuditPlace, LoggedEvent, AuditEvent } from "../model/audit.ts";

import { beginningAfter, checkLinks, linked, placeOf } from "./audit-chain.ts";
import type { NewRecord } from "../model/checkpoint.ts";
import type { SessionFacts } from "../model/session.ts";

/**
 * Transformation of all text that people and agents wrote into a catalog. Text that it does not change stays, and so does text
 * that it made itself: an interrupted rewriting can be repeated.
 */
export interface Rewriting {
  readonly record: <R extends NewRecord>(record: R) => R;
  readonly labels: <L extends Pick<SessionFacts, "tags" | "pins">>(labels: L) => L;
  readonly event: (event: AuditEvent) => AuditEvent;
  /** Last row of the audit log, written once. Its reason says where the chain was broken before, if it was. */
  readonly audit: AuditEvent;
  /** Digests that chained the audit log before, and that chain it from now on; `undefined` is the catalog's own digest. */
  readonly chained: { readonly from: AuditDigest | undefined; readonly to: AuditDigest | undefined };
}

/**
 * Rewrites the rows of a log and chains them by the digest of the rewriting, followed by the rewriting's own row. That row says
 * where the old chain was broken, because the new chain would hide the break. Rows that are already chained this way stay as they
 * are.
 *
 * @param own the catalog's own digest.
 */
export function rechain(rows: readonly LoggedEvent[], { event, audit, chained }: Rewriting, own: AuditDigest): readonly LoggedEvent[] {
  const digest = chained.to ?? own;
  const begin = beginningAfter(rows.findLast(({ action }) => action === "audit-cut"));
  const [last, before] = [rows.at(-1), rows.at(-2)];
  if (last !== undefined && isLinked(last, before === undefined ? begin : placeOf(before), digest)) {
    return last.action === audit.action ? rows : [...rows, linked(audit, placeOf(last), digest)];
  }
  const [broken] = checkLinks(rows, begin, chained.from ?? own).breaks;
  const fresh: LoggedEvent[] = [];
  let place = begin;
  for (const row of rows) {
    // Keeps the gap of a missing row.
    const next = linked(event(row), { ...place, number: row.number - 1 }, digest);
    fresh.push(next);
    place = placeOf(next);
  }
  const reason = broken === undefined ? audit.reason : `the chain was broken at ${broken.number}`;
  return [...fresh, linked({ ...audit, reason }, place, digest)];
}

/** True when the last row continues the place before it, which implies that the whole log was chained by this digest. */
function isLinked(last: LoggedEvent, before: AuditPlace, digest: AuditDigest): boolean {
  return linked(last, { number: last.number - 1, digest: before.digest }, digest).digest === last.digest;
}
