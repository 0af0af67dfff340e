import { endAlthoughHeldUp } from "./end-process.ts";
import { runCli } from "./run-cli.ts";

await runCli("workrail", process.argv.slice(2));
endAlthoughHeldUp();
