import type { StoreUsage } from "../../ports/catalog.ts";
import type { CatalogPort } from "../catalog-port.ts";

/** Returns the totals of the whole store. */
export async function sumUsage(catalog: CatalogPort, now: Date): Promise<StoreUsage> {
  const { totals, holds } = await catalog.read({ totals: { of: "totals" }, holds: { of: "holds" } });
  const ends = holds.map(({ until }) => until).filter((until) => until > now);
  return { ...totals, removalsHeldUntil: ends.toSorted((one, other) => other.getTime() - one.getTime())[0] };
}
