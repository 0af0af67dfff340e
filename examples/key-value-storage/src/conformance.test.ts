import { describeStorage } from "@workrail/storage-conformance";
import { harness } from "./conformance-harness.ts";

describeStorage(harness, { runs: 30, operations: 100, kills: 2, faults: false });
