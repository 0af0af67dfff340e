import { describe } from "vitest";
import { describeAppend } from "./catalog/describe-append.ts";
import { describeAuditLog } from "./catalog/describe-audit-log.ts";
import { describeChanges } from "./catalog/describe-changes.ts";
import { describeDamage } from "./catalog/describe-damage.ts";
import { describeErasures } from "./catalog/describe-erasures.ts";
import { describeForgetting } from "./catalog/describe-forgetting.ts";
import { describeHolds } from "./catalog/describe-holds.ts";
import { describeListing } from "./catalog/describe-listing.ts";
import { describeMoves } from "./catalog/describe-moves.ts";
import { describeReclaim } from "./catalog/describe-reclaim.ts";
import { describeReplaceBlob } from "./catalog/describe-replace-blob.ts";
import { describeSessions } from "./catalog/describe-sessions.ts";
import { describeShields } from "./catalog/describe-shields.ts";
import { describeUsage } from "./catalog/describe-usage.ts";
import type { StorageHarness } from "./harness.ts";

/**
 * Tests the catalog: appends and their conditions, sessions and pins, listings and filters, reclaiming and replacing of blobs, trash,
 * quotas, shields, the audit log, and changes.
 */
export function describeCatalog(harness: StorageHarness): void {
  describe(`${harness.name}: catalog`, () => {
    describeAppend(harness);
    describeSessions(harness);
    describeListing(harness);
    describeReclaim(harness);
    describeReplaceBlob(harness);
    describeDamage(harness);
    describeMoves(harness);
    describeErasures(harness);
    describeShields(harness);
    describeUsage(harness);
    describeHolds(harness);
    describeForgetting(harness);
    describeAuditLog(harness);
    describeChanges(harness);
  });
}
