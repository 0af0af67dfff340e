// All checks of `npm test`. The tests come last, so that the output ends with their summary.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { ROOT, runNode, runTool, runVitest, testNode } from "./run.mjs";
import { setUp } from "./set-up.mjs";

const CHECKS = {
  build: () => setUp(),
  format: () => runTool("oxfmt", ["--check"]),
  lint: () => runTool("oxlint", []),
  types: checkTypes,
  unused: () => runTool("knip", ["--no-config-hints"]),
  manifests: () => runTool("sherif", ["--fail-on-warnings"]),
  packages: () => runNode([join(ROOT, "tooling/release/src/check-packages.ts")]),
};

/** One program has nearly all packages, so that each file is checked once. Others: for a browser, and without Node. */
const TYPED = ["tsconfig.all.json", "packages/timeline/tsconfig.json", "packages/codecs/tsconfig.portable.json"];

const RESULTS = join(ROOT, "node_modules", ".cache", "workrail", "vitest.json");

async function checkTypes() {
  const codes = [];
  // Each checker computes the types that it needs, so more checkers than processors only repeat work.
  const checkers = String(Math.min(4, availableParallelism()));
  for (const config of TYPED) codes.push(await runTool("tsc", ["--noEmit", "--checkers", checkers, "-p", config]));
  return Math.max(...codes);
}

/**
 * Runs the named checks, or all. Resolves to the names of those that failed. A failure does not stop the others, so that one run shows
 * everything that needs repair.
 */
export async function runChecks(names) {
  const unknown = names.filter((name) => !Object.hasOwn(CHECKS, name));
  if (unknown.length > 0) {
    process.stderr.write(`No such check: ${unknown.join(", ")}. There are ${Object.keys(CHECKS).join(", ")}.\n`);
    return unknown;
  }
  const failed = [];
  for (const name of names.length > 0 ? names : Object.keys(CHECKS)) {
    const started = Date.now();
    process.stdout.write(`\n== ${name}\n`);
    const code = await CHECKS[name]();
    if (code !== 0) failed.push(name);
    process.stdout.write(`== ${name}: ${code === 0 ? "ok" : "FAILED"} (${((Date.now() - started) / 1000).toFixed(1)} s)\n`);
  }
  return failed;
}

/** Runs vitest, then prints the checks that failed before, and the counts of tests as the last line. */
export async function runTests(args, { failedChecks }) {
  const { stdout: version } = spawnSync(testNode(), ["--version"], { encoding: "utf8" });
  process.stdout.write(`\n== tests, on Node ${version.trim()}\n`);
  rmSync(RESULTS, { force: true });
  mkdirSync(dirname(RESULTS), { recursive: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${RESULTS}`];
  const code = await runVitest(["run", ...reporters, ...args]);
  if (failedChecks.length > 0) process.stdout.write(`\nThese checks FAILED before the tests: ${failedChecks.join(", ")}\n`);
  process.stdout.write(`${countLine(code)}\n`);
  return code !== 0 ? code : failedChecks.length > 0 ? 1 : 0;
}

function countLine(code) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, numFailedTestSuites } = JSON.parse(
      readFileSync(RESULTS, "utf8"),
    );
    // A file that could not be loaded has no failed test, and neither has an error outside any test.
    const failed = numFailedTests > 0 || code === 0 ? numFailedTests : Math.max(1, numFailedTestSuites);
    return `tests: ${numPassedTests} passed, ${failed} failed, ${numPendingTests + numTodoTests} skipped`;
  } catch {
    return "The tests did not run to the end.";
  }
}
