import { type AuditQuery, auditRows, type CatalogPort, type Clock, commit, type Locking, type LoggedEvent } from "@workrail/core";

export interface ExportAuditPorts {
  readonly catalog: CatalogPort;
  readonly locking: Pick<Locking, "shared">;
  readonly clock: Clock;
}

/** Selection of rows; all conditions must hold. */
export type AuditFilter = Pick<AuditQuery, "actions" | "sessionId" | "since" | "until">;

const PAGE = 500;
/** Reason of the audit row for an export of the log itself. */
const AUDIT_LOG = "audit-log";

/**
 * Writes the audit log as JSON lines, one per row, oldest first. The export itself is recorded as the last row; rows written
 * meanwhile are left out.
 *
 * @param limit most rows, from the oldest on.
 * @throws STORAGE_UNAVAILABLE, LOCK_TIMEOUT; the output is then incomplete.
 */
export async function* exportAudit(
  { catalog, locking, clock }: ExportAuditPorts,
  { limit = Number.POSITIVE_INFINITY, ...filter }: AuditFilter & { readonly limit?: number | undefined } = {},
): AsyncGenerator<string, void, undefined> {
  const event = { at: clock.now(), action: "export", sessionId: undefined, checkpointId: undefined, agentId: undefined } as const;
  await locking.shared(() => catalog.change(commit({ audit: [{ ...event, reason: AUDIT_LOG }] })));
  const [end] = await locking.shared(() => auditRows(catalog, { limit: 1 }));
  let [after, left] = [0, limit];
  while (left > 0) {
    const from = after;
    const page = await locking.shared(() => auditRows(catalog, { ...filter, first: "oldest", after: from, limit: Math.min(PAGE, left) }));
    const rows = page.filter(({ number }) => number <= (end?.number ?? 0));
    if (rows.length > 0) yield rows.map((row) => `${lineOf(row)}\n`).join("");
    after = rows.at(-1)?.number ?? after;
    left -= rows.length;
    if (rows.length < PAGE) return;
  }
}

function lineOf({ number, at, action, sessionId, checkpointId, agentId, subject, reason, digest }: LoggedEvent): string {
  return JSON.stringify({ number, at: at.toISOString(), action, sessionId, checkpointId, agentId, subject, reason, digest });
}
