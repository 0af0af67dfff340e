// Child process that is killed: opens a store, reports that, and erases a checkpoint.
import fs from "node:fs";
import { openWorkrail } from "../src/open-workrail.ts";

const [dataDir = "", checkpointId = ""] = process.argv.slice(2);

const workrail = await openWorkrail({ dataDir, project: null, env: {}, upkeep: false });
fs.writeSync(1, "open\n");
await workrail.deleteCheckpoint({ checkpointId });
fs.writeSync(1, "erased\n");
await workrail.close();
