import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalRegistry, startRegistry } from "./local-registry.ts";
import { pack } from "./pack.ts";
import { publicPackages } from "./public-packages.ts";
import { type Outcome, run } from "./run.ts";

const hasNpm = spawnSync("npm", ["--version"], { shell: process.platform === "win32" }).status === 0;
const packages = publicPackages();

const GREETING = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "0" } },
};
const SAVE = {
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name: "workflow_checkpoint_save", arguments: { sessionId: "first", context: { goal: "be installed" } } },
};

const EXPECTED =
  /^(?:package\.json|README\.md|LICENSE|config\.schema\.json|src\/.+\.(?:ts|json)|dist\/.+\.(?:js|mjs|cjs|ts|map|node)|(?:dist\/)?THIRD_PARTY_LICENSES\.txt|dist\/o200k\.bin|dist\/timeline(?:-app)?\.html)$/u;
const OF_TESTS = /\.test\.|\/testing\/|\/fixtures\/|__snapshots__/u;

describe.skipIf(!hasNpm)("the packages in a registry (skipped without npm)", () => {
  let folder: string;
  let registry: LocalRegistry;
  const published: { readonly name: string; readonly outcome: Outcome; readonly files: readonly string[] }[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "workrail-registry-"));
    for (const name of ["tarballs", "work"]) mkdirSync(join(folder, name));
    registry = await startRegistry(folder);
    const waiting = [...(await pack(packages, join(folder, "tarballs")))];
    // Two at a time: each is published in processes of its own.
    const publishing = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [name, tarball] = next;
        // As a release does. The folder is no checkout.
        const outcome = await npm("pnpm", ["publish", "--no-git-checks", tarball]);
        published.push({ name, outcome, files: await filesIn(tarball) });
      }
    };
    await Promise.all([publishing(), publishing()]);
  }, 300_000);

  afterAll(async () => {
    await registry.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  /** Runs pnpm or npx, with this Node, as on a machine on which nothing was installed before. */
  function npm(program: "pnpm" | "npx", args: readonly string[], input?: string): Promise<Outcome> {
    const env = {
      ...process.env,
      PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`,
      npm_config_userconfig: registry.npmrc,
      npm_config_cache: join(folder, "cache"),
      WORKRAIL_DATA_DIR: join(folder, "store"),
    };
    return run(program, args, { cwd: join(folder, "work"), env, input });
  }

  it("are all accepted", () => {
    expect(published.filter(({ outcome }) => outcome.code !== 0)).toEqual([]);
    expect(published).toHaveLength(packages.length);
  });

  it("contain their sources and builds, and no tests", () => {
    for (const { name, files } of published) {
      expect(files, name).toEqual(expect.arrayContaining(["package.json", "README.md", "LICENSE"]));
      expect(files.filter((path) => !EXPECTED.test(path) || OF_TESTS.test(path))).toEqual([]);
    }
  });

  it("provide a server that saves at once, by npx, and runs again without the registry", async () => {
    const messages = `${JSON.stringify(GREETING)}\n${JSON.stringify(SAVE)}\n`;
    const first = await npm("npx", ["--yes", "@workrail/mcp-server"], messages);
    expect(first.output).toContain('\\"status\\":\\"SAVED\\"');

    const [installed = ""] = readdirSync(join(folder, "cache", "_npx"));
    const modules = join(folder, "cache", "_npx", installed, "node_modules");
    const files = readdirSync(modules, { recursive: true, encoding: "utf8" }).map((name) => statSync(join(modules, name)));
    // The optional keychain, of which the registry does not know, adds 4 MB.
    expect(files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)).toBeLessThan(31 * 1024 * 1024);

    await registry.stop();
    const second = await npm("npx", ["--yes", "--offline", "@workrail/mcp-server"], messages);
    expect(second.output).toContain('\\"status\\":\\"SKIPPED_UNCHANGED\\"');
    registry = await startRegistry(folder);
  }, 60_000);

  it("provide a command line that finds the server's saves", async () => {
    expect((await npm("npx", ["--yes", "@workrail/cli", "list", "--all-projects", "--json"])).output).toContain('"sessionId":"first"');
  }, 60_000);
});

/** Returns the paths of the files in a tarball, below its only folder. */
async function filesIn(tarball: string): Promise<readonly string[]> {
  const { output } = await run("tar", ["-tf", basename(tarball)], { cwd: dirname(tarball) });
  return output
    .trim()
    .split(/\r?\n/u)
    .map((path) => path.replace("package/", ""));
}
