// Child process that is killed: opens a store, reports that, imports sessions, and compacts them.
import fs from "node:fs";
import { openWorkrail } from "../src/open-workrail.ts";

const [dataDir = "", file = ""] = process.argv.slice(2);

const workrail = await openWorkrail({ dataDir, project: null, env: {} });
fs.writeSync(1, "open\n");
for (;;) await workrail.importFile(file, { onConflict: "rename" });
