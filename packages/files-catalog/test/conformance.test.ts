import { describeStorage } from "@workrail/storage-conformance";
import { harness } from "./conformance-harness.ts";

/** `npm run test:faults` sets the variable. */
const isLong = process.env["WORKRAIL_CONFORMANCE_STRIDE"] !== undefined;

// Fewer runs: the use cases belong to the core and run in full with the other adapters; only the journal is new here.
describeStorage(harness, isLong ? { runs: 100, kills: 4 } : { runs: 40, operations: 200, kills: 1, savers: 3 });
