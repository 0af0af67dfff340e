import { describeStorage } from "@workrail/storage-conformance";
import { describe } from "vitest";
import { harness } from "./sealed-node-sqlite-harness.ts";

/** `npm run test:faults` sets the variable. The driver, and sealing, always run in their own tests. */
const isThorough = process.env["WORKRAIL_CONFORMANCE_STRIDE"] !== undefined;

describe.skipIf(!isThorough)("conformance (left to npm run test:faults)", () => {
  describeStorage(harness);
});
