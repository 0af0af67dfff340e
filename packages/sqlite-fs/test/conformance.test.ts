import { describeStorage } from "@workrail/storage-conformance";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";
import { harness } from "./better-sqlite3-harness.ts";

describeStorage(harness, IS_LONG ? { runs: 250 } : { runs: 150, operations: 250, kills: 4, savers: 5 });
