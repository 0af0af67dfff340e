import { describeStorage } from "@workrail/storage-conformance";
import { harness } from "./conformance-harness.ts";

// Fewer runs: the use cases belong to the core and run in full with the other adapters; only the journal is new here.
describeStorage(harness, { runs: 100, kills: 4 });
