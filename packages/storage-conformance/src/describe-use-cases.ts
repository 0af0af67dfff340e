import { describe } from "vitest";
import type { StorageHarness } from "./harness.ts";
import { type ConformanceOptions, completeOptions } from "./options.ts";
import { describeAnyOperations } from "./use-cases/describe-any-operations.ts";
import { describeCopies } from "./use-cases/describe-copies.ts";
import { describeHandles } from "./use-cases/describe-handles.ts";
import { describeOwnTerms } from "./use-cases/describe-own-terms.ts";
import { describeRandomHistory } from "./use-cases/describe-random-history.ts";
import { describeRecords } from "./use-cases/describe-records.ts";
import { describeRestore } from "./use-cases/describe-restore.ts";
import { describeRetries } from "./use-cases/describe-retries.ts";
import { describeSavesAtOnce } from "./use-cases/describe-saves-at-once.ts";

/** Tests core's use cases on the storage: saved contexts come back exactly, also with concurrent and repeated saves. */
export function describeUseCases(harness: StorageHarness, options?: ConformanceOptions): void {
  const completed = completeOptions(options);
  describe(`${harness.name}: use cases`, () => {
    describeRestore(harness, completed);
    describeRetries(harness);
    describeSavesAtOnce(harness);
    describeHandles(harness);
    describeRecords(harness);
    describeCopies(harness);
    describeOwnTerms(harness);
    describeAnyOperations(harness, completed);
    describeRandomHistory(harness, completed);
  });
}
