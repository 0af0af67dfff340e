// Starts programs of this workspace on every platform, under the workspace's own Node.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const PARENT_CHECK_MS = 250;
const WINDOWS = process.platform === "win32";
const BIN = join(ROOT, "node_modules", ".bin");
const NODE_BIN = join(ROOT, "node_modules", "node", "bin");

/** Returns the path of the workspace's Node; `undefined` before it is installed. */
export function workspaceNode() {
  const path = join(NODE_BIN, WINDOWS ? "node.exe" : "node");
  return existsSync(path) ? path : undefined;
}

/** Runs the workspace's Node. Signals are forwarded, so that a server can shut down cleanly. */
export function runNode(args, options = {}) {
  return run(workspaceNode() ?? process.execPath, args, options);
}

/** The Node that runs the tests: the workspace's, or with WORKRAIL_TEST_NODE=host the one that runs this script. */
export function testNode() {
  return process.env.WORKRAIL_TEST_NODE === "host" ? process.execPath : (workspaceNode() ?? process.execPath);
}

/** Runs vitest on the Node of the tests, which is first on the path of the processes that tests start. */
export function runVitest(args) {
  return run(testNode(), [join(ROOT, "node_modules", "vitest", "vitest.mjs"), ...args], { pathFirst: [dirname(testNode())] });
}

/** Runs a tool from node_modules/.bin. */
export function runTool(name, args, options = {}) {
  return WINDOWS ? runShim(join(BIN, `${name}.cmd`), args, options) : run(join(BIN, name), args, options);
}

/** Runs the npx of the Node that runs this script. */
export function runNpx(args, options = {}) {
  return WINDOWS ? runShim("npx.cmd", args, options) : run("npx", args, options);
}

/**
 * Runs a `.cmd` file, which only a shell can start. The shell gets one quoted line: Node warns about separate arguments, because it would
 * not quote them.
 */
function runShim(file, args, options) {
  return run([file, ...args].map(quote).join(" "), [], { ...options, shell: true });
}

/** Resolves to the exit code; to 128 + the signal's number when a signal ended the program, as shells do. */
function run(command, args, { env = {}, stdio = "inherit", shell = false, cwd = ROOT, endWithParent = false, pathFirst = [] } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio, shell, env: environment(env, pathFirst) });
    const handOn = (signal) => {
      // A terminal sends SIGINT to the whole process group; forwarding it would send it twice.
      if (signal === "SIGINT" && process.stdin.isTTY) return;
      child.kill(signal);
    };
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    for (const signal of signals) process.on(signal, handOn);
    const watch = endWithParent ? onceOrphaned(() => child.kill("SIGTERM")) : undefined;
    const done = (code) => {
      clearInterval(watch);
      for (const signal of signals) process.off(signal, handOn);
      resolve(code);
    };
    child.once("error", (error) => {
      process.stderr.write(`Could not start ${command}: ${error.message}\n`);
      done(1);
    });
    child.once("exit", (code, signal) => done(code ?? 128 + (constants.signals[signal] ?? 0)));
  });
}

/** Calls `act` once the parent process has ended. npm and its shell die of SIGTERM without forwarding it, so their end is the only sign. */
function onceOrphaned(act) {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    act();
  }, PARENT_CHECK_MS);
  return watch;
}

/** Returns the environment with the workspace's tools, and its Node, first on the path. @param pathFirst directories before them. */
function environment(extra, pathFirst) {
  const env = { ...process.env, ...extra };
  const key = Object.keys(env).find((name) => name.toUpperCase() === "PATH") ?? "PATH";
  env[key] = [...pathFirst, NODE_BIN, BIN, env[key] ?? ""].join(delimiter);
  return env;
}

function quote(text) {
  return /^[\w@.:=/\\-]+$/.test(text) ? text : `"${text.replaceAll('"', '\\"')}"`;
}
