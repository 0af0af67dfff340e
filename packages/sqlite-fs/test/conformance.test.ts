import { describeStorage } from "@workrail/storage-conformance";
import { harness } from "./better-sqlite3-harness.ts";

describeStorage(harness, { runs: 250 });
