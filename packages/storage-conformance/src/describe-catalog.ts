import { describe } from "vitest";
import { describeAppend } from "./catalog/describe-append.ts";
import { describeDamage } from "./catalog/describe-damage.ts";
import { describeListing } from "./catalog/describe-listing.ts";
import { describeReclaim } from "./catalog/describe-reclaim.ts";
import { describeReplaceBlob } from "./catalog/describe-replace-blob.ts";
import { describeSessions } from "./catalog/describe-sessions.ts";
import type { StorageHarness } from "./harness.ts";

/** The catalog: appends and their terms, sessions and pins, listings and filters, which blobs may go, and get other bytes. */
export function describeCatalog(harness: StorageHarness): void {
  describe(`${harness.name}: catalog`, () => {
    describeAppend(harness);
    describeSessions(harness);
    describeListing(harness);
    describeReclaim(harness);
    describeReplaceBlob(harness);
    describeDamage(harness);
  });
}
