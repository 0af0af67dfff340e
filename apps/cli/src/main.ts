import { endAlthoughHeldUp } from "@workrail/process";
import { runCli } from "./run-cli.ts";

await runCli("workrail", process.argv.slice(2));
endAlthoughHeldUp();
