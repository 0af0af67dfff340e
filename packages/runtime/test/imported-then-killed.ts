// Runs in a process of its own, which is killed: opens a store, says so, imports sessions, and goes on re-encoding them.
import fs from "node:fs";
import { openWorkrail } from "../src/open-workrail.ts";

const [dataDir = "", file = ""] = process.argv.slice(2);

const workrail = await openWorkrail({ dataDir, project: null, env: {} });
fs.writeSync(1, "open\n");
for (;;) await workrail.importFile(file, { onConflict: "rename" });
