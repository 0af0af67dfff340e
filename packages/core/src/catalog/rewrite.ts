import { rechain } from "../audit/rechain.ts";
import type { AuditDigest } from "../model/audit.ts";
import type { Rewriting } from "../audit/rechain.ts";
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

/** Makes the content that gives a catalog these rows, with the facts of every session, without the tombstones of blobs that are gone. */
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
