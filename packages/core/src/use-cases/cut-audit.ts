import type { Catalog } from "../ports/catalog.ts";
import type { Clock } from "../ports/environment.ts";
import type { Locking } from "../ports/locking.ts";

export interface CutAuditPorts {
  readonly catalog: Pick<Catalog, "cutAudit">;
  readonly locking: Pick<Locking, "shared">;
  readonly clock: Clock;
}

export interface CutAuditOptions {
  readonly signal?: { readonly aborted: boolean } | undefined;
  /** Waited for between two transactions. */
  readonly pause?: (() => Promise<unknown>) | undefined;
}

/** Removed in one transaction: few enough that a waiting save hardly notices. */
const BATCH = 1_000;

/** Removes what is older than `keepMs` from the beginning of the audit log, and resolves with how many rows that were. */
export async function cutAudit(
  { catalog, locking, clock }: CutAuditPorts,
  keepMs: number,
  { signal, pause }: CutAuditOptions = {},
): Promise<number> {
  const at = clock.now();
  const before = new Date(at.getTime() - keepMs);
  for (let sum = 0; ;) {
    const removed = await locking.shared(() => catalog.cutAudit({ before, at, limit: BATCH }));
    sum += removed;
    if (removed < BATCH || signal?.aborted === true) return sum;
    await pause?.();
  }
}
