import { auditCheck } from "../../audit/audit-reads.ts";
import type { AuditDigest } from "../../model/audit.ts";
import type { AuditCheck, AuditWalk } from "../../ports/catalog.ts";
import type { CatalogPort } from "../catalog-port.ts";

/** Verifies the chain of the audit log. */
export async function checkAudit(catalog: CatalogPort, walk: AuditWalk, digest: AuditDigest): Promise<Omit<AuditCheck, "isKeyed">> {
  // After a cut, the oldest row is the first one behind the cut.
  const { cut, rows, noted } = await catalog.read({
    cut: { of: "audit", query: { actions: ["audit-cut"], limit: 1 } },
    rows: { of: "audit", query: { first: "oldest", after: walk.after?.number, limit: walk.limit } },
    noted: { of: "mark" },
  });
  return { ...auditCheck(({ actions }) => (actions === undefined ? rows : cut), walk, digest), noted };
}
