import { describeStorage } from "@workrail/storage-conformance";
import { describe, it } from "vitest";
import { harness } from "./sealed-node-sqlite-harness.ts";

/** `npm run test:faults` sets it. The driver, and sealing, are tried by their own tests every time. */
const isThorough = process.env["WORKRAIL_CONFORMANCE_STRIDE"] !== undefined;

if (isThorough) describeStorage(harness);
else describe.skip(`${harness.name}: left to npm run test:faults`, () => it("is tried there", () => {}));
