import { describeStorage } from "@workrail/storage-conformance";
import { harness } from "./node-sqlite-harness.ts";

// The other driver has the full number of tries; here it matters that every kind of call works.
describeStorage(harness, { runs: 100, kills: 3, stride: 20 });
