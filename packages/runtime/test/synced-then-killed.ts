// Child process that is killed: pushes a store to another one, and reports how many checkpoints are done.
import fs from "node:fs";
import { syncStore } from "../src/sync-store.ts";

const [from = "", to = "", dataDir] = process.argv.slice(2);
const env = dataDir === undefined ? {} : { WORKRAIL_DATA_DIR: dataDir };

await syncStore({ from, to, env, onProgress: ({ done }) => fs.writeSync(1, `${done}\n`) });
