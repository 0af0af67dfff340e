import { describeStorage } from "@workrail/storage-conformance";
import { harness } from "./conformance-harness.ts";

describeStorage(harness, { runs: 100, operations: 200, kills: 4, faults: false });
