import type { LoggedEvent } from "../../model/audit.ts";
import type { CatalogReader } from "../catalog-port.ts";
import type { AuditQuery } from "../reads.ts";

/** Returns rows of the audit log, ordered by number. */
export async function auditRows(catalog: CatalogReader, query: AuditQuery): Promise<readonly LoggedEvent[]> {
  return (await catalog.read({ rows: { of: "audit", query } })).rows;
}
