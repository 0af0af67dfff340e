import { describeStorage } from "@workrail/storage-conformance";
import { describe } from "vitest";
import { harness } from "./sealed-node-sqlite-harness.ts";

/** `npm run test:faults` sets it. The driver, and sealing, are tried by their own tests every time. */
const isThorough = process.env["WORKRAIL_CONFORMANCE_STRIDE"] !== undefined;

describe.skipIf(!isThorough)("conformance (left to npm run test:faults)", () => {
  describeStorage(harness);
});
