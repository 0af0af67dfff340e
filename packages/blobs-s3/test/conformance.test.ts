import { describeBlobStore, describeDurability, describeFaults, describeStorage } from "@workrail/storage-conformance";
import type { FaultPair } from "./s3-harness.ts";
import { harness, memoryHarness } from "./s3-harness.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

/** Faults of the server that implement those of the kit. The first pair is part of the whole suite. */
const OTHERS: readonly FaultPair[] = [
  { fails: "drop", failsAfter: "drop-after" },
  { fails: "damaged", failsAfter: "half-answer" },
];

describeStorage(memoryHarness(), { ...(IS_LONG ? { runs: 25, operations: 40 } : { runs: 20, operations: 20 }), faults: false });
if (IS_LONG) {
  describeBlobStore(harness);
  describeDurability(harness);
  for (const pair of OTHERS) describeFaults(memoryHarness(pair));
}
