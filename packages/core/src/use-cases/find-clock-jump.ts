import { lastJump } from "../clean-up/clock-jump.ts";
import type { Catalog } from "../ports/catalog.ts";

/** A clean-up a day for longer than anything is kept by its age, unless somebody set that so. */
const MOST_ROWS = 500;

/** When the clock last jumped, as far as the audit log tells: by its clean-ups, and by the rows before the first of them. */
export async function findClockJump(catalog: Pick<Catalog, "auditLog">, now: Date): Promise<Date | undefined> {
  const cleanUps = await catalog.auditLog({ actions: ["clean-up"], limit: MOST_ROWS });
  const before = await catalog.auditLog({ limit: MOST_ROWS, after: cleanUps.at(-1)?.number });
  return lastJump(
    [...cleanUps, ...before].map(({ at }) => at),
    now,
  );
}
