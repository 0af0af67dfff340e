import { noPostgres } from "@workrail/faults";
import { describeStorage } from "@workrail/storage-conformance";
import { describe } from "vitest";
import { harness } from "./server-harness.ts";
import { useServer } from "./use-server.ts";

/** `npm run test:faults` sets the variable. */
const isLong = process.env["WORKRAIL_CONFORMANCE_STRIDE"] !== undefined;
const missing = noPostgres();

describe.skipIf(missing !== undefined)(`a real server${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  useServer();
  describeStorage(harness, {
    ...(isLong ? { runs: 60, operations: 100, kills: 3 } : { runs: 40, operations: 40, kills: 1, savers: 3 }),
    faults: false,
  });
});
