import type { NewRecord, WorkrailError } from "@workrail/core";
import { expect } from "vitest";
import { append, commitRecord, storedRecord } from "../append.ts";
import type { FaultPlan, StorageHarness } from "../harness.ts";
import { refusalOf } from "./refusal-of.ts";
import { TestBed } from "./test-bed.ts";

/**
 * Injects a fault at the first operation of a commit, the second, and so on. A refused commit was not applied, or reports that its
 * outcome is unknown: a caller that learns that nothing was applied may remove the blob.
 */
export async function sweepCommits(harness: StorageHarness, fault: Omit<FaultPlan, "at">): Promise<void> {
  const bed = await TestBed.create(harness, {});
  try {
    let struck = true;
    for (let at = 1; struck; at++) {
      // After a successful commit, because the adapter may remember what it wrote.
      const { sessionId } = await append(bed.storage, { sessionId: bed.newSession() });
      const record = await storedRecord(bed.storage, { sessionId });
      bed.faults.arm({ ...fault, at });
      const refusal = await refusalOf(commitRecord(bed.storage, record));
      ({ struck } = bed.faults);
      bed.faults.disarm();
      await proveOutcome(bed, record, { refusal, at });
    }
  } finally {
    await bed.destroy();
  }
}

async function proveOutcome(
  bed: TestBed,
  { id }: NewRecord,
  { refusal, at }: { readonly refusal: WorkrailError | undefined; readonly at: number },
): Promise<void> {
  const seen = await bed.storage.catalog.find(id);
  await bed.reopen();
  const isThere = (await bed.storage.catalog.find(id)) !== undefined;
  // A read after the failure shows the durable state.
  expect({ at, isSeen: seen !== undefined }).toEqual({ at, isSeen: isThere });
  const outcome = refusal?.details["outcome"];
  if (refusal === undefined || outcome !== "unknown")
    expect({ at, outcome, isThere }).toEqual({ at, outcome, isThere: refusal === undefined });
}
