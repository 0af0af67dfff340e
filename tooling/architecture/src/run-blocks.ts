// Runs examples of pages one after another, each as a module of its own that imports from a directory of its own.
// Arguments: a file with the examples, and a file for their outcomes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import type { BlockOutcome, BlockRun } from "./block-run.ts";

const [runsFile = "", outcomesFile = ""] = process.argv.slice(2);
const runs = JSON.parse(readFileSync(runsFile, "utf8")) as readonly BlockRun[];
const outcomes: BlockOutcome[] = [];

const modules = new Map(runs.map(({ cwd, text }, index) => [pathToFileURL(join(cwd, `example-${index}.ts`)).href, text]));
registerHooks({
  resolve: (specifier, context, next) => (modules.has(specifier) ? { url: specifier, shortCircuit: true } : next(specifier, context)),
  load(url, context, next) {
    const source = modules.get(url);
    return source === undefined ? next(url, context) : { format: "module-typescript", source, shortCircuit: true };
  },
});

for (const [index, url] of [...modules.keys()].entries()) {
  outcomes.push(await outcomeOf(runs[index] as BlockRun, url));
  // Written each time: an example may end the process.
  writeFileSync(outcomesFile, JSON.stringify(outcomes));
}

async function outcomeOf({ cwd }: BlockRun, url: string): Promise<BlockOutcome> {
  const dataDir = mkdtempSync(join(tmpdir(), "workrail-page-"));
  const before = process.cwd();
  const write = process.stderr.write.bind(process.stderr);
  const collected: string[] = [];
  process.env["WORKRAIL_DATA_DIR"] = dataDir;
  process.chdir(cwd);
  process.stderr.write = (chunk: unknown) => collected.push(String(chunk)) > 0;
  try {
    await import(url);
    await nextTurn();
    const status = Number(process.exitCode ?? 0);
    return { status, stderr: collected.join("") };
  } catch (error) {
    return { status: 1, stderr: `${collected.join("")}${inspect(error)}` };
  } finally {
    process.exitCode = 0;
    process.stderr.write = write;
    process.chdir(before);
    rmSync(dataDir, { recursive: true, force: true });
  }
}
