// Runs on any Node, however old: uses only syntax and modules of Node 18, and imports only a version. An import of `node:fs` would load
// streams, which takes half the time of Node's own start.
import { lightPart } from "@workrail/cli/light-part";
import { isCommand } from "./is-command.ts";
import { readVersion } from "./version.ts";

const OLDEST_NODE = 22;

const HELP = `Usage: workrail-mcp [settings]
       workrail-mcp [settings] <command> [options]

An MCP server that keeps the working state of AI agents.
Without a command it is started by an MCP client, not by hand: it reads requests on stdin and answers on stdout.

  --version            print the version
  --help               print this text
  --data-dir <path>    directory of the store; default: WORKRAIL_DATA_DIR, else the platform's data folder
  --read-only          only read: refuse every change, and touch nothing in the data directory
  --http [host:port]   serve MCP on HTTP instead of stdin and stdout; default: 127.0.0.1:8377
  --log-level <level>  debug, info, warn (default), error or silent; the log goes to stderr
  --<setting> <value>  any other setting, such as --max-checkpoints 50: workrail-mcp config list

With a command it is the command line for the same store, as in: workrail-mcp cleanup --older-than 7d
All commands: workrail-mcp help
Bearer tokens for --http: workrail-mcp token help
`;

/** For a person who starts it by hand. The server still serves: a client may use a terminal as standard input. */
const ON_TERMINAL = `workrail-mcp is an MCP server, which an agent's host starts; to connect it to Claude Code: claude mcp add workrail -- npx -y @workrail/mcp-server (Ctrl-C ends it here; workrail-mcp help lists the commands for people)
`;

async function launch(): Promise<void> {
  const running = process.versions.node;
  if (Number.parseInt(running, 10) < OLDEST_NODE) {
    process.stderr.write(`workrail-mcp needs Node ${OLDEST_NODE} or newer; this is Node ${running}.\n`);
    // A hook never fails the host that runs it.
    process.exitCode = process.argv[2] === "hook" ? 0 : 1;
    return;
  }
  // Node before 22.3 lacks this function, and the bundle loads built-in modules through it.
  if (!("getBuiltinModule" in process)) {
    const { createRequire } = await import("node:module");
    Object.assign(process, { getBuiltinModule: createRequire(import.meta.url) });
  }
  const light = lightPart(process.argv.slice(2));
  if (light !== undefined) return runLight(light, process.argv[3] ?? "");
  // With the server that the tokens are for, not with the command line.
  if (process.argv[2] === "token") return runLight("./server.cjs", "token");
  if (isCommand(process.argv.slice(2))) {
    await loadFile("./compile-cache.mjs");
    await loadFile("./cli.mjs");
    return;
  }
  if (process.argv.includes("--version")) {
    process.stdout.write(`${readVersion()}\n`);
    return;
  }
  if (process.argv.some((arg) => arg === "--help" || arg === "-h")) {
    process.stdout.write(HELP);
    return;
  }
  const isHttp = process.argv.some((arg) => /^--http(?:=|$)/u.test(arg)) || (process.env["WORKRAIL_HTTP"] ?? "") !== "";
  if (process.stdin.isTTY && !isHttp) process.stderr.write(ON_TERMINAL);
  await runLight("./server.cjs", isHttp ? "http" : "stdio", ["./store.cjs", "./rest.cjs"]);
}

async function runLight(script: string, use: string, ahead?: readonly string[]): Promise<void> {
  const runner = (await loadFile("./run-light.mjs")) as {
    readonly runLight: (url: string, use: string, ahead?: readonly string[]) => void;
  };
  runner.runLight(new URL(script, import.meta.url).href, use, ahead);
}

/** The compiler does not know these files: the bundler puts them beside the launcher. */
async function loadFile(part: string): Promise<unknown> {
  return import(new URL(part, import.meta.url).href);
}

await launch();
