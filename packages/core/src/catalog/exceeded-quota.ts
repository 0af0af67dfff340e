import type { Quota, QuotaUsage } from "../ports/catalog.ts";

/** Returns the quota that a further blob of this size would exceed; `undefined` when it fits. */
export function exceededQuota(bytes: QuotaUsage, blobBytes: number, quota: Quota): keyof Quota | undefined {
  return (["session", "store"] as const).find((limit) => bytes[limit] + blobBytes > quota[limit]);
}
