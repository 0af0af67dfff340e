import { auditCheck } from "../../audit/audit-reads.ts";
import type { AuditCheck, AuditWalk } from "../../ports/catalog.ts";
import type { AuditChain } from "../../ports/storage.ts";

/** Verifies the chain of the audit log. */
export async function checkAudit({ rows: stored, digest, isKeyed }: AuditChain, walk: AuditWalk): Promise<AuditCheck> {
  // After a cut, the oldest row is the first one behind the cut.
  const { cut, rows, noted } = await stored.read({
    cut: { of: "audit", query: { actions: ["audit-cut"], limit: 1 } },
    rows: { of: "audit", query: { first: "oldest", after: walk.after?.number, limit: walk.limit } },
    noted: { of: "mark" },
  });
  return { ...auditCheck(({ actions }) => (actions === undefined ? rows : cut), walk, digest), noted, isKeyed };
}
