import { describeBlobStore } from "./describe-blob-store.ts";
import { describeCatalog } from "./describe-catalog.ts";
import { describeCompaction } from "./describe-compaction.ts";
import { describeDurability } from "./describe-durability.ts";
import { describeFaults } from "./describe-faults.ts";
import { describeLocking } from "./describe-locking.ts";
import { describeRecovery } from "./describe-recovery.ts";
import { describeUseCases } from "./describe-use-cases.ts";
import type { StorageHarness } from "./harness.ts";
import type { ConformanceOptions } from "./options.ts";

/** Tests the whole contract of a storage. Call it at the top of a test file, or within a `describe`. */
export function describeStorage(harness: StorageHarness, options?: ConformanceOptions): void {
  describeBlobStore(harness);
  describeCatalog(harness, options);
  describeLocking(harness);
  describeRecovery(harness);
  describeUseCases(harness, options);
  describeCompaction(harness);
  describeDurability(harness, options);
  describeFaults(harness, options);
}
