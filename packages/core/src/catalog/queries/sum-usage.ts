import type { CatalogReader } from "../catalog-port.ts";
import type { Totals } from "../reads.ts";

export interface StoreUsage extends Totals {
  /** End of the current hold, for example of a backup; `undefined` without a hold. */
  readonly removalsHeldUntil: Date | undefined;
}

/** Returns the totals of the whole store. Holds end by the clock of the system. */
export async function sumUsage(catalog: CatalogReader, now: Date = new Date()): Promise<StoreUsage> {
  const { totals, holds } = await catalog.read({ totals: { of: "totals" }, holds: { of: "holds" } });
  const ends = holds.map(({ until }) => until).filter((until) => until > now);
  return { ...totals, removalsHeldUntil: ends.toSorted((one, other) => other.getTime() - one.getTime())[0] };
}
