import { beginningAfter, checkLinks } from "../../audit/audit-chain.ts";

import type { AuditChain } from "../../ports/storage.ts";
import type { AuditPlace, LinkCheck, LoggedEvent } from "../../model/audit.ts";

export interface AuditWalk {
  /** Continue after this row. Default: from the first remaining row. */
  readonly after?: AuditPlace | undefined;
  readonly limit: number;
}

export interface AuditCheck extends LinkCheck {
  /** Number of rows examined. Fewer than `limit` means the end of the log. */
  readonly rows: number;
  /** First and last of the examined rows. */
  readonly first: LoggedEvent | undefined;
  readonly last: LoggedEvent | undefined;
  /** True when only a holder of the store's key can make a valid next row. */
  readonly isKeyed: boolean;
  /** Row that must exist according to a note outside of the catalog; `undefined` without such a note. */
  readonly noted: AuditPlace | undefined;
}

/** Verifies the chain of the audit log, at most `limit` rows per call. Changes can go on meanwhile. */
export async function checkAudit({ rows: stored, digest, isKeyed }: AuditChain, walk: AuditWalk): Promise<AuditCheck> {
  // After a cut, the oldest row is the first one behind the cut.
  const { cut, rows, noted } = await stored.read({
    cut: { of: "audit", query: { actions: ["audit-cut"], limit: 1 } },
    rows: { of: "audit", query: { first: "oldest", after: walk.after?.number, limit: walk.limit } },
    noted: { of: "mark" },
  });
  const links = checkLinks(rows, walk.after ?? beginningAfter(cut[0]), digest);
  return { rows: rows.length, first: rows[0], last: rows.at(-1), ...links, noted, isKeyed };
}
