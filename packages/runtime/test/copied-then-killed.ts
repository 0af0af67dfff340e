// Child process that is killed: copies a store, and reports how many blobs are copied.
import fs from "node:fs";
import { copyStore } from "../src/copy-store.ts";

const [from = "", to = "", dataDir] = process.argv.slice(2);
const env = dataDir === undefined ? {} : { WORKRAIL_DATA_DIR: dataDir };

await copyStore({ from, to, env, onProgress: ({ done }) => fs.writeSync(1, `${done}\n`) });
