import { runCli } from "@workrail/cli/run-cli";
import { endAlthoughHeldUp } from "@workrail/process";

// The command line is part of the server's package, so that `npx @workrail/mcp-server cleanup` works. It is a separate part of the bundle
// that the server does not load.
await runCli("workrail-mcp", process.argv.slice(2));
endAlthoughHeldUp();
