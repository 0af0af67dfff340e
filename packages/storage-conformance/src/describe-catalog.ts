import { describe } from "vitest";
import { describeChanges } from "./catalog/describe-changes.ts";
import { describeReads } from "./catalog/describe-reads.ts";
import { describeTransactions } from "./catalog/describe-transactions.ts";
import type { StorageHarness } from "./harness.ts";
import { type ConformanceOptions, completeOptions } from "./options.ts";

/** Tests the catalog: it answers reads and applies changes as core's rows in memory do, all at once or not at all. */
export function describeCatalog(harness: StorageHarness, options?: ConformanceOptions): void {
  const completed = completeOptions(options);
  describe(`${harness.name}: catalog`, () => {
    describeReads(harness, completed);
    describeChanges(harness, completed);
    describeTransactions(harness);
  });
}
