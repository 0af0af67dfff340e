import { openWorkrail } from "../src/open-workrail.ts";

/** A process that saves, says so, and has done nothing more when it is killed. */
const workrail = await openWorkrail({ dataDir: process.argv[2], project: null, env: {} });
const { checkpointId } = await workrail.saveCheckpoint({ sessionId: "a", context: { note: "an unindexed needle" } });
process.stdout.write(`${checkpointId}\n`);
setInterval(() => undefined, 1_000);
