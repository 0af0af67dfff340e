import { describeStorage } from "@workrail/storage-conformance";
import { harness } from "./node-sqlite-harness.ts";

/** `npm run test:faults` sets the variable. */
const isLong = process.env["WORKRAIL_CONFORMANCE_STRIDE"] !== undefined;

// Fewer tries than with the other driver: here it matters only that every kind of call works.
describeStorage(harness, { ...(isLong ? { runs: 100, kills: 3 } : { runs: 40, operations: 100, kills: 1, savers: 3 }), faults: false });
