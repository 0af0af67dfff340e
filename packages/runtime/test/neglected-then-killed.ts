// Child process: saves a session, and dies before it compacts or indexes.
import { openWorkrail } from "../src/open-workrail.ts";

const [dataDir = "", steps = ""] = process.argv.slice(2);
/** Large enough that a delta saves something, and hard to compress. */
const notes = Array.from({ length: 200 }, (_, number) => `${number}: ${Math.imul(number + 1, 2_654_435_761) >>> 0}`);

const workrail = await openWorkrail({ dataDir, project: null, env: {}, upkeep: false });
for (let step = 0; step < Number(steps); step++) {
  await workrail.saveCheckpoint({ sessionId: "killed", checkpointId: `killed-${step}`, context: { step, notes } });
}
process.kill(process.pid, "SIGKILL");
