import type { AuditDigest, AuditEvent, AuditPlace, LoggedEvent } from "../model/audit.ts";
import type { CatalogContent } from "./catalog-port.ts";
import {
  ALL,
  type Facts,
  type Read,
  type Reads,
  type Select,
  type SelectErasures,
  type SelectRemovals,
  type SelectSessions,
} from "./reads.ts";
import type { NewRow, SessionRow } from "./rows.ts";
import { factsOf } from "./surviving-facts.ts";
import { beginningAfter, checkLinks, linked, placeOf } from "../audit/audit-chain.ts";
import type { NewRecord } from "../model/checkpoint.ts";
import type { SessionFacts } from "../model/session.ts";

/** Reads of the whole content of a catalog. */
export interface Everything extends Reads {
  readonly checkpoints: Select;
  readonly sessions: SelectSessions;
  readonly edges: Extract<Read, { of: "edges" }>;
  readonly removals: SelectRemovals;
  readonly erasures: SelectErasures;
  readonly holds: Extract<Read, { of: "holds" }>;
  readonly audit: Extract<Read, { of: "audit" }>;
}

/** Reads the whole content of a catalog. */
export const EVERYTHING: Everything = {
  checkpoints: { of: "checkpoints", where: { state: "any" }, order: "oldest", limit: ALL },
  sessions: { of: "sessions", where: {}, limit: ALL },
  edges: { of: "edges" },
  removals: { of: "removals" },
  erasures: { of: "erasures" },
  holds: { of: "holds" },
  audit: { of: "audit", query: { first: "oldest" } },
};

/** Makes the content of a catalog after a rewriting, with the facts of every session. `own`: the catalog's own digest. */
export function rewrite(content: Facts<Everything>, rewriting: Rewriting, own: AuditDigest): CatalogContent {
  return contentOf({
    ...content,
    sessions: content.sessions.map((row) => rewriting.labels(row)),
    checkpoints: content.checkpoints.map((row) => ({ ...row, record: rewriting.record(row.record) })),
    audit: rechain(content.audit, rewriting, own),
  });
}

/** Makes the content of a catalog with these rows and the facts of every session, without the tombstones of deleted blobs. */
export function contentOf({ checkpoints, edges, erasures, holds, audit, ...rows }: Facts<Everything>): CatalogContent {
  const removals = rows.removals.filter(({ isDone }) => !isDone);
  const sessions = rows.sessions.map(rowOf);
  const bySession = Map.groupBy(checkpoints, ({ record }) => record.sessionId);
  return {
    rows: [
      ...sessions.map((now): NewRow => ({ table: "session", now })),
      ...checkpoints.map((now): NewRow => ({ table: "checkpoint", now })),
      ...edges.map((now): NewRow => ({ table: "edge", now })),
      ...removals.map((now): NewRow => ({ table: "removal", now })),
      ...erasures.map((now): NewRow => ({ table: "erasure", now })),
      ...holds.map((now): NewRow => ({ table: "hold", now })),
    ],
    audit,
    facts: sessions.map((session) => {
      const isOfSession = ({ sessionId }: { readonly sessionId: string }): boolean => sessionId === session.id;
      return factsOf(session, {
        removals: removals.filter(isOfSession),
        erasures: erasures.filter(isOfSession),
        checkpoints: bySession.get(session.id) ?? [],
      });
    }),
  };
}

function rowOf({
  id,
  createdAt,
  lastAccessedAt,
  tags,
  pins,
  oldestLive,
  lastSequence,
  checkpointCount,
  asideCount,
  totalBytes,
}: SessionRow): SessionRow {
  return { id, createdAt, lastAccessedAt, tags, pins, oldestLive, lastSequence, checkpointCount, asideCount, totalBytes };
}

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
