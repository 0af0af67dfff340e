import { noPostgres } from "@workrail/faults";
import { describeStorage } from "@workrail/storage-conformance";
import { describe } from "vitest";
import { harness } from "./server-harness.ts";
import { useServer } from "./use-server.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

const missing = noPostgres();

describe.skipIf(missing !== undefined)(`a real server${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  useServer();
  describeStorage(harness, {
    ...(IS_LONG ? { runs: 60, operations: 100, kills: 3 } : { runs: 40, operations: 40, kills: 1, savers: 3 }),
    faults: false,
  });
});
