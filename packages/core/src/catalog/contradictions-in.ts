import type { CheckpointId } from "../model/ids.ts";
import { type CheckpointRow, type Edge, KEY_OF, more, type SessionRow } from "./rows.ts";
import type { Contradictions } from "./reads.ts";

/** Tables in memory, by the keys of their rows. */
interface Rows {
  readonly sessions: ReadonlyMap<string, SessionRow>;
  readonly checkpoints: ReadonlyMap<CheckpointId, CheckpointRow>;
  readonly edges: ReadonlyMap<string, Edge>;
}

/** Finds sums of sessions that differ from their checkpoints, and edges that are missing. */
export function contradictionsIn({ sessions, checkpoints, edges }: Rows): Contradictions {
  const missing: Edge[] = [];
  const sums = new Map([...sessions].map(([id, row]) => [id, { ...row, checkpointCount: 0, asideCount: 0, totalBytes: 0 }]));
  for (const { record, trashedAt } of checkpoints.values()) {
    const edge = record.baseId === null ? undefined : { dependent: record.id, base: record.baseId };
    if (edge !== undefined && !edges.has(KEY_OF.edge(edge))) missing.push(edge);
    const session = sums.get(record.sessionId);
    if (session !== undefined && trashedAt === undefined) sums.set(session.id, more(session, record));
  }
  const wrong = [...sessions.values()].map((was) => ({ was, now: sums.get(was.id) ?? was })).filter(differ);
  return { sums: wrong, edges: missing };
}

function differ({ was, now }: { readonly was: SessionRow; readonly now: SessionRow }): boolean {
  return (["checkpointCount", "asideCount", "totalBytes"] as const).some((field) => was[field] !== now[field]);
}
