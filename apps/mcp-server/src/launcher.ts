// Runs on any Node, however old: only what Node 18 can parse and link, and nothing of ours but a version.
import module from "node:module";
import process from "node:process";
import { readVersion } from "./version.ts";

const OLDEST_NODE = 22;

const HELP = `Usage: workrail-mcp [--version] [--help]

An MCP server on stdio that keeps the working state of AI agents.
It is started by an MCP client, not by hand: it reads requests on stdin and answers on stdout.

  --version  print the version
  --help     print this text

Environment:
  WORKRAIL_DATA_DIR   where checkpoints are kept
  WORKRAIL_LOG_LEVEL  debug, info, warn (default), error or silent; the log goes to stderr
`;

async function launch(): Promise<void> {
  const running = process.versions.node;
  if (Number.parseInt(running, 10) < OLDEST_NODE) {
    process.stderr.write(`workrail-mcp needs Node ${OLDEST_NODE} or newer; this is Node ${running}.\n`);
    process.exitCode = 1;
    return;
  }
  if (process.argv.includes("--version")) {
    process.stdout.write(`${readVersion()}\n`);
    return;
  }
  if (process.argv.includes("--help")) {
    process.stdout.write(HELP);
    return;
  }
  module.enableCompileCache?.();
  // Not known to the compiler: the server is bundled beside the launcher.
  const server = new URL("./server.mjs", import.meta.url);
  await import(server.href);
}

await launch();
