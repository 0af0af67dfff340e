import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { startVitest } from "vitest/node";

export interface ConformanceRun {
  /** Path of the module that exports `harness`. */
  readonly module: string;
  /** Runs only tests whose names match, like `vitest -t`. */
  readonly testNamePattern?: string | undefined;
  /** Reporter of vitest. Default: `default`. */
  readonly reporter?: string | undefined;
}

/**
 * Runs the whole kit in vitest against the harness that a module exports. Ignores the configuration of the module's project.
 *
 * @returns true when all tests passed.
 */
export async function runConformance(run: ConformanceRun): Promise<boolean> {
  const folder = await mkdtemp(path.join(tmpdir(), "workrail-conformance-"));
  try {
    const file = path.join(folder, "conformance.test.mjs");
    await writeFile(file, testFile(run.module));
    return await runFile(file, run);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** True in the repository, where the kit and its packages run from source; the published kit is compiled. */
const isSource = import.meta.url.endsWith(".ts");

function testFile(module: string): string {
  const kit = new URL(isSource ? "./index.ts" : "./index.js", import.meta.url).href;
  return [
    `import { describeStorage } from ${JSON.stringify(kit)};`,
    `import * as exported from ${JSON.stringify(pathToFileURL(path.resolve(module)).href)};`,
    `if (typeof exported.harness?.open !== "function") throw new Error(${JSON.stringify(`${module} exports no StorageHarness as \`harness\`.`)});`,
    `describeStorage(exported.harness);`,
    "",
  ].join("\n");
}

async function runFile(file: string, { testNamePattern, reporter = "default" }: ConformanceRun): Promise<boolean> {
  const conditions = isSource ? ["@workrail/source", "module", "node", "development|production"] : undefined;
  const vitest = await startVitest(
    // Deprecated in vitest 5, needed by vitest 4.
    "test",
    [],
    {
      run: true,
      config: false,
      root: path.dirname(file),
      include: [path.basename(file)],
      pool: "forks",
      testTimeout: 30_000,
      hookTimeout: 30_000,
      reporters: [reporter],
      ...(testNamePattern === undefined ? {} : { testNamePattern }),
    },
    conditions === undefined ? {} : { ssr: { resolve: { conditions, externalConditions: conditions } } },
  );
  const modules = vitest.state.getTestModules();
  const passed = modules.length > 0 && modules.every((module) => module.ok()) && vitest.state.getUnhandledErrors().length === 0;
  await vitest.close();
  return passed;
}
