#!/usr/bin/env node
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";

const USAGE = `Usage: workrail-storage-conformance <harness> [options]

Proves that a storage adapter keeps the contract of Workrail's ports.
<harness> is a module (TypeScript or JavaScript) that exports a StorageHarness as \`harness\`.

Options:
  -t, --test-name-pattern <pattern>  only tests whose names match, such as "blob store"
      --runs <number>                generated contexts of the property tests (default 1000)
      --kills <number>               processes killed at random moments (default 10)
      --operations <number>          operations of the one long random history (default 500)
      --seed <number>                repeats the chance of a run that failed
      --reporter <name>              a reporter of vitest, such as verbose or json
  -h, --help                         this text

Exit code: 0 when every test passed, 1 when one failed, 2 when the call makes no sense.
`;

const OPTIONS = {
  "test-name-pattern": { type: "string", short: "t" },
  runs: { type: "string" },
  kills: { type: "string" },
  operations: { type: "string" },
  seed: { type: "string" },
  reporter: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

async function main(args: readonly string[]): Promise<number> {
  const call = parse(args);
  if (call === undefined) return 2;
  if (call.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  for (const [name, value] of Object.entries(call.environment))
    if (value !== undefined) process.env[`WORKRAIL_CONFORMANCE_${name}`] = value;
  // Imports vitest, which a wrong call need not wait for.
  const { runConformance } = await import("./run-conformance.ts");
  return (await runConformance(call)) ? 0 : 1;
}

function parse(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
    const [module = "", ...more] = positionals;
    if (values.help !== true) {
      if (module === "" || more.length > 0) throw new Error("Name one module that exports a harness.");
      if (!existsSync(module)) throw new Error(`There is no file ${module}.`);
      for (const name of ["runs", "kills", "operations", "seed"] as const) {
        if (values[name] !== undefined && !/^\d+$/.test(values[name])) throw new Error(`--${name} must be a whole number.`);
      }
    }
    const { help = false, reporter, runs, kills, operations, seed } = values;
    const environment = { RUNS: runs, KILLS: kills, OPERATIONS: operations, SEED: seed };
    return { module, help, reporter, environment, testNamePattern: values["test-name-pattern"] };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return undefined;
  }
}

process.exitCode = await main(process.argv.slice(2));
