// Counts in steps, for a test that kills it. Arguments: the directory of the store, the durability, and the number of steps.
import { writeSync } from "node:fs";
import process from "node:process";
import { openWorkrail } from "@workrail/runtime";
import { type Count, countInSteps } from "./count-in-steps.ts";

const [dataDir = "", durability = "sync", count = "0"] = process.argv.slice(2);
await using store = await openWorkrail({ dataDir, env: {}, project: null });
await countInSteps(store, {
  durability: durability as Count["durability"],
  count: Number(count),
  tell: (line) => writeSync(1, `${line}\n`),
});
