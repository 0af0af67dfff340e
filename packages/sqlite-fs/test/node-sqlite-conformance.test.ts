import { describeStorage } from "@workrail/storage-conformance";
import { harness } from "./node-sqlite-harness.ts";

// Fewer tries than with the other driver: here it matters only that every kind of call works.
describeStorage(harness, { runs: 100, kills: 3, faults: false });
