import type { Clock } from "../../ports/environment.ts";
import type { Locking } from "../../ports/locking.ts";
import { findClockJump } from "./find-clock-jump.ts";
import { cutRows } from "../../catalog/rules/cut-audit.ts";
import type { CatalogPort } from "../../catalog/catalog-port.ts";

export interface CutAuditPorts {
  readonly catalog: CatalogPort;
  readonly locking: Pick<Locking, "shared">;
  readonly clock: Clock;
}

export interface CutAuditOptions {
  readonly signal?: { readonly aborted: boolean } | undefined;
  /** Awaited between two transactions. */
  readonly pause?: (() => Promise<unknown>) | undefined;
  /** True for an automatic clean-up. Default `false`. */
  readonly doubtsClock?: boolean | undefined;
}

/** Rows removed per transaction: few enough that a waiting save hardly notices. */
const BATCH = 1_000;

/** Removes audit rows older than `keepMs` from the beginning of the log. Resolves to their number. */
export async function cutAudit(
  { catalog, locking, clock }: CutAuditPorts,
  keepMs: number,
  { signal, pause, doubtsClock }: CutAuditOptions = {},
): Promise<number> {
  const at = clock.now();
  const jumpedAt = doubtsClock === true ? await findClockJump(catalog, at) : undefined;
  if (jumpedAt !== undefined && at.getTime() - jumpedAt.getTime() < keepMs) return 0;
  const before = new Date(at.getTime() - keepMs);
  for (let sum = 0; ;) {
    const removed = await locking.shared(() => catalog.change(cutRows({ before, at, limit: BATCH })));
    sum += removed;
    if (removed < BATCH || signal?.aborted === true) return sum;
    await pause?.();
  }
}
