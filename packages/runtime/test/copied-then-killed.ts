// Child process that is killed: copies a store, and reports how many blobs are copied.
import fs from "node:fs";
import { copyStore } from "../src/copy-store.ts";

const [from = "", to = ""] = process.argv.slice(2);

await copyStore({ from, to, env: {}, onProgress: ({ done }) => fs.writeSync(1, `${done}\n`) });
