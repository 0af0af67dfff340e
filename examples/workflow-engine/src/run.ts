import process from "node:process";
import { openWorkrail } from "@workrail/runtime";
import { runWorkflow } from "./engine.ts";
import { wordRegister } from "./workflow.ts";

/** One process of an engine: `run.ts DATA_DIR [STOP]`. Reports each item that was done, and finally the result. */
const [dataDir, stop] = process.argv.slice(2);

const workrail = await openWorkrail({ dataDir, project: null });
const result = await runWorkflow(workrail, wordRegister, {
  sessionId: "demo",
  async onDone(phase, item) {
    tell({ done: `${phase} ${item}` });
    // Waits here to be killed, so that the kill comes at the same point on every machine.
    if (stop === `${phase} ${item}`) await new Promise(() => setInterval(() => {}, 60_000));
  },
});
await workrail.close();
tell({ result });

function tell(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
