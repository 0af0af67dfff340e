import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { BROKEN_STORAGES } from "./broken-storages.ts";

const vitest = path.join(path.dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "dist", "cli.js");

interface Assertion {
  readonly fullName: string;
  readonly status: "passed" | "failed" | "skipped";
}

/** Tests that the suite fails for broken storages. */
describe("the kit", () => {
  let assertions: readonly Assertion[];
  let code: number | null;

  beforeAll(async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "workrail-broken-"));
    const output = path.join(folder, "report.json");
    const patterns = Object.entries(BROKEN_STORAGES).flatMap(([key, { caughtBy }]) => caughtBy.map((name) => patternOf(key, name)));
    const reporting = ["--reporter=json", `--outputFile=${output}`];
    code = await exitCode([vitest, "run", "--config", "test/vitest.broken-storages.config.ts", "-t", patterns.join("|"), ...reporting]);
    const report = JSON.parse(await readFile(output, "utf8")) as { testResults: readonly { assertionResults: readonly Assertion[] }[] };
    assertions = report.testResults.flatMap(({ assertionResults }) => assertionResults);
    await rm(folder, { recursive: true });
  }, 900_000);

  const cases = Object.entries(BROKEN_STORAGES).map(([key, { fault, caughtBy }]) => [fault, key, caughtBy] as const);
  it.each(cases)("notices a storage that %s, and passes one that does not", (_, key, caughtBy) => {
    for (const name of caughtBy) {
      expect([name, statusOf(`${key}: ${name}`), statusOf(`sound: ${name}`)]).toEqual([name, "failed", "passed"]);
    }
  });

  function statusOf(name: string): string | undefined {
    return assertions.find(({ fullName }) => fullName === name.replaceAll(" > ", " "))?.status;
  }

  it("ends with the code of a failure", () => expect(code).toBe(1));
});

/** Pattern of a test's name for the broken and the sound storage. Versions of vitest join names differently. */
function patternOf(key: string, name: string): string {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(" > ", "(?: > | )");
  return `^(?:${key}|sound): ${escaped}$`;
}

function exitCode(args: readonly string[]): Promise<number | null> {
  const cwd = path.join(import.meta.dirname, "..");
  const child = spawn(process.execPath, args, { cwd, stdio: "ignore" });
  return new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
}
