import { describeStorage } from "@workrail/storage-conformance";
import { harness } from "./conformance-harness.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

// Fewer runs: the use cases belong to the core and run in full with the other adapters; only the journal is new here.
describeStorage(harness, IS_LONG ? { runs: 100, kills: 4 } : { runs: 40, operations: 200, kills: 1, savers: 3 });
