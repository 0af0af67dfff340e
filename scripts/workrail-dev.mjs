#!/usr/bin/env node
// The single entry point to set up, check and run a checkout. Plain JavaScript without dependencies, because it runs before anything is
// installed.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const OLDEST_HOST_NODE = 20;

// These commands build as one of their checks, so that a failed build does not hide other failures.
const CHECKING = new Set(["test", "test:unit", "check", "fix"]);

const COMMANDS = {
  setup: { what: "install and build, if anything changed", run: () => 0 },
  test: { what: "every check, then every test; with arguments: only vitest, which gets them", run: test },
  "test:unit": { what: "the tests that start no processes, against the sources; arguments go to vitest", run: testUnit },
  "test:faults": { what: "the long form of the tests that break things; ends with a table of counts", run: faults },
  check: { what: "every check but the tests; with names: only those", run: check },
  fix: { what: "format, and repair what the linter can", run: fix },
  demo: { what: "an agent's session that survives a kill", run: (args) => example("examples/resume-after-crash/src/main.ts", args) },
  start: { what: "the MCP server on standard input and output", run: start },
  bench: { what: "the benchmarks", run: (args) => example("tooling/bench/src/main.ts", args) },
  "verify:release": {
    what: "pack, install and run what would be published",
    run: (args) => program("tooling/release/src/verify-release.ts", args),
  },
};

const [name, ...args] = process.argv.slice(2);
process.exitCode = await main(name, args);

async function main(name, args) {
  if (Number.parseInt(process.versions.node, 10) < OLDEST_HOST_NODE) {
    process.stderr.write(`Workrail needs Node ${OLDEST_HOST_NODE} or newer to set itself up; this is Node ${process.versions.node}.\n`);
    return 1;
  }
  const command = Object.hasOwn(COMMANDS, name ?? "") ? COMMANDS[name] : undefined;
  if (command === undefined) {
    process.stderr.write(usage());
    return 2;
  }
  const { setUp } = await import("./dev/set-up.mjs");
  const code = await setUp({ build: !CHECKING.has(name) });
  return code === 0 ? command.run(args) : code;
}

function usage() {
  const lines = Object.entries(COMMANDS).map(([name, { what }]) => `  ${name.padEnd(18)}${what}\n`);
  return `usage: node scripts/workrail-dev.mjs COMMAND [ARGUMENTS]\n\n${lines.join("")}`;
}

async function test(args) {
  const { runChecks, runTests } = await import("./dev/checks.mjs");
  if (args.length > 0) return runTests(args, { failedChecks: [] });
  return runTests([], { failedChecks: await runChecks([]) });
}

async function testUnit(args) {
  const { runTests } = await import("./dev/checks.mjs");
  return runTests(["--project=unit", ...args], { failedChecks: [] });
}

async function faults(args) {
  const { runFaults } = await import("./dev/faults.mjs");
  return runFaults(args);
}

async function check(args) {
  const { runChecks } = await import("./dev/checks.mjs");
  return (await runChecks(args)).length === 0 ? 0 : 1;
}

async function fix() {
  const { runTool } = await import("./dev/run.mjs");
  const linted = await runTool("oxlint", ["--fix"]);
  const formatted = await runTool("oxfmt", []);
  return linted || formatted;
}

/** Starts the server in the directory that npm was called from, where the server looks for its project. */
function start(args) {
  const isStartedByNpm = process.env.npm_lifecycle_event === "start";
  return program("apps/mcp-server/dist/workrail-mcp.mjs", args, {
    cwd: process.env.INIT_CWD ?? process.cwd(),
    endWithParent: isStartedByNpm,
  });
}

/** Runs a TypeScript program directly: the workspace's Node strips its types. Paths are resolved against the user's directory. */
async function example(file, args) {
  const from = process.env.INIT_CWD ?? process.cwd();
  return program(
    file,
    args.map((arg) => (arg.startsWith("-") || !existsSync(resolve(from, arg)) ? arg : resolve(from, arg))),
  );
}

async function program(file, args, options) {
  const { ROOT, runNode } = await import("./dev/run.mjs");
  const path = join(ROOT, file);
  if (!existsSync(path)) {
    process.stderr.write(`${file} is not there.\n`);
    return 1;
  }
  return runNode([path, ...args], options);
}
