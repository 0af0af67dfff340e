import { describeStorage } from "@workrail/storage-conformance";
import { describe } from "vitest";
import { harness } from "./sealed-node-sqlite-harness.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

// The driver, and sealing, always run in their own tests.
describe.skipIf(!IS_LONG)("conformance (left to npm run test:faults)", () => {
  describeStorage(harness);
});
