import { lastJump } from "../../clean-up/clock-jump.ts";
import { auditRows } from "../../catalog/queries/read-audit.ts";
import type { CatalogPort } from "../../catalog/catalog-port.ts";

/** A daily clean-up for this many days covers every default retention. */
const MOST_ROWS = 500;

/** Returns the time of the clock's last jump, from the clean-ups in the audit log and the rows before the first of them. */
export async function findClockJump(catalog: CatalogPort, now: Date): Promise<Date | undefined> {
  const cleanUps = await auditRows(catalog, { actions: ["clean-up"], limit: MOST_ROWS });
  const before = await auditRows(catalog, { limit: MOST_ROWS, after: cleanUps.at(-1)?.number });
  return lastJump(
    [...cleanUps, ...before].map(({ at }) => at),
    now,
  );
}
