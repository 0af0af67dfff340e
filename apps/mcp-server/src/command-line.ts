import { endAlthoughHeldUp } from "../../cli/src/end-process.ts";
import { runCli } from "../../cli/src/run-cli.ts";

// The command line comes with the server, so that `npx @workrail/mcp-server cleanup` works; a part of the bundle of its own, so that
// the server does not load it.
await runCli("workrail-mcp", process.argv.slice(2));
endAlthoughHeldUp();
