import type { AuditDigest, AuditPlace, LoggedEvent } from "../model/audit.ts";
import type { Rewriting } from "../ports/catalog.ts";
import { checkLinks, linked, placeOf } from "./audit-chain.ts";
import { beginningAfter } from "./audit-cut.ts";

/**
 * The rows of a log as a rewriting has them, chained by its digest, and its own behind them. That one tells where the chain broke before: the
 * new one would hide it. Rows that are chained so already stay as they are.
 *
 * @param own what the catalog chains by of itself.
 */
export function rechain(rows: readonly LoggedEvent[], { event, audit, chained }: Rewriting, own: AuditDigest): readonly LoggedEvent[] {
  const digest = chained.to ?? own;
  const begin = beginningAfter(rows.findLast(({ action }) => action === "audit-cut"));
  const last = rows.at(-1);
  if (last !== undefined && isLinked(last, rows.at(-2), begin, digest)) {
    return last.action === audit.action ? rows : [...rows, linked(audit, placeOf(last), digest)];
  }
  const [broken] = checkLinks(rows, begin, chained.from ?? own).breaks;
  const fresh: LoggedEvent[] = [];
  let place = begin;
  for (const row of rows) {
    // A row that is missing stays missing.
    const next = linked(event(row), { ...place, number: row.number - 1 }, digest);
    fresh.push(next);
    place = placeOf(next);
  }
  const reason = broken === undefined ? audit.reason : `the chain was broken at ${broken.number}`;
  return [...fresh, linked({ ...audit, reason }, place, digest)];
}

/** Whether the last row hangs on the one before, which tells that all of it was chained so. */
function isLinked(last: LoggedEvent, before: LoggedEvent | undefined, begin: AuditPlace, digest: AuditDigest): boolean {
  const { digest: previous } = before === undefined ? begin : placeOf(before);
  return linked(last, { number: last.number - 1, digest: previous }, digest).digest === last.digest;
}
