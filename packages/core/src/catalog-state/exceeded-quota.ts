import type { Quota, QuotaUsage } from "../ports/catalog.ts";

/** Which quota does not allow a blob of this size beside what there is; `undefined` when all do. */
export function exceededQuota(bytes: QuotaUsage, blobBytes: number, quota: Quota): keyof Quota | undefined {
  return (["session", "store"] as const).find((limit) => bytes[limit] + blobBytes > quota[limit]);
}
