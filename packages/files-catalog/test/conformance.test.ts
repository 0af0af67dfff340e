import { describeStorage } from "@workrail/storage-conformance";
import { harness } from "./conformance-harness.ts";

// The use cases are core's own, and are tried in full with the other adapters; here it is the journal that is new.
describeStorage(harness, { runs: 100, kills: 4, stride: 30 });
