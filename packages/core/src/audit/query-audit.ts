import type { LoggedEvent } from "../model/audit.ts";
import type { CheckpointId } from "../model/ids.ts";
import type { AuditQuery } from "../catalog/reads.ts";

/** Selects rows of an audit log in memory. `all`: the log, oldest first, without a gap in its numbers. */
export function queryAudit(
  all: readonly LoggedEvent[],
  { limit = Number.POSITIVE_INFINITY, first = "newest", after, checkpointIds, ...others }: AuditQuery,
): readonly LoggedEvent[] {
  const wanted = { ...others, ids: checkpointIds && new Set(checkpointIds) };
  const found: LoggedEvent[] = [];
  const step = first === "oldest" ? 1 : -1;
  const indexOf = (number: number): number => number - (all[0]?.number ?? 1);
  let index = step === 1 ? 0 : all.length - 1;
  // The row of the place may be gone, or not there yet.
  if (after !== undefined) index = step === 1 ? Math.max(index, indexOf(after + 1)) : Math.min(index, indexOf(after - 1));
  for (let row = all[index]; row !== undefined && found.length < limit; row = all[(index += step)]) {
    if (isWanted(row, wanted)) found.push(row);
  }
  return found;
}

type Wanted = Pick<AuditQuery, "actions" | "sessionId" | "at" | "since" | "until"> & {
  readonly ids: ReadonlySet<CheckpointId> | undefined;
};

function isWanted(row: LoggedEvent, { actions, sessionId, ids, at, since, until }: Wanted): boolean {
  return (
    actions?.includes(row.action) !== false &&
    (sessionId === undefined || row.sessionId === sessionId) &&
    (ids === undefined || (row.checkpointId !== undefined && ids.has(row.checkpointId))) &&
    (at === undefined || row.at.getTime() === at.getTime()) &&
    (since === undefined || row.at >= since) &&
    (until === undefined || row.at <= until)
  );
}
