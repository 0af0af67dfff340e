import type { LoggedEvent } from "../model/audit.ts";
import type { AuditQuery, Catalog } from "../ports/catalog.ts";
import type { Clock } from "../ports/environment.ts";
import type { Locking } from "../ports/locking.ts";

export interface ExportAuditPorts {
  readonly catalog: Pick<Catalog, "auditLog" | "commit">;
  readonly locking: Pick<Locking, "shared">;
  readonly clock: Clock;
}

/** Which rows; all conditions must hold. */
export type AuditFilter = Pick<AuditQuery, "actions" | "sessionId" | "since" | "until">;

const PAGE = 500;
/** The reason of the row that an export of the log itself leaves in it. */
const AUDIT_LOG = "audit-log";

/**
 * Writes the audit log as lines of JSON, a row each, oldest first. That it is exported is itself the last row of it; what others write
 * meanwhile is left out.
 *
 * @param limit the most rows, from the oldest on.
 * @throws STORAGE_UNAVAILABLE, LOCK_TIMEOUT, and then what was written is not all.
 */
export async function* exportAudit(
  { catalog, locking, clock }: ExportAuditPorts,
  { limit = Number.POSITIVE_INFINITY, ...filter }: AuditFilter & { readonly limit?: number | undefined } = {},
): AsyncGenerator<string, void, undefined> {
  const event = { at: clock.now(), action: "export", sessionId: undefined, checkpointId: undefined, agentId: undefined } as const;
  await locking.shared(() => catalog.commit({ audit: [{ ...event, reason: AUDIT_LOG }] }));
  const [end] = await locking.shared(() => catalog.auditLog({ limit: 1 }));
  let [after, left] = [0, limit];
  while (left > 0) {
    const from = after;
    const page = await locking.shared(() => catalog.auditLog({ ...filter, first: "oldest", after: from, limit: Math.min(PAGE, left) }));
    const rows = page.filter(({ number }) => number <= (end?.number ?? 0));
    if (rows.length > 0) yield rows.map((row) => `${lineOf(row)}\n`).join("");
    after = rows.at(-1)?.number ?? after;
    left -= rows.length;
    if (rows.length < PAGE) return;
  }
}

function lineOf({ number, at, action, sessionId, checkpointId, agentId, reason, digest }: LoggedEvent): string {
  return JSON.stringify({ number, at: at.toISOString(), action, sessionId, checkpointId, agentId, reason, digest });
}
