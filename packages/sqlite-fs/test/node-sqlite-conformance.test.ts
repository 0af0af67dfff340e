import { describeStorage } from "@workrail/storage-conformance";
import { harness } from "./node-sqlite-harness.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

// Fewer tries than with the other driver: here it matters only that every kind of call works.
describeStorage(harness, { ...(IS_LONG ? { runs: 100, kills: 3 } : { runs: 40, operations: 100, kills: 1, savers: 3 }), faults: false });
