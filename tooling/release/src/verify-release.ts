// Installs the packages to publish into an empty project, by npm as a user would, and runs them.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { readImage } from "./image.ts";
import { pack } from "./pack.ts";
import { publicPackages, type PublicPackage } from "./public-packages.ts";
import { run, start } from "./run.ts";

const ANSWER_TIMEOUT_MS = 30_000;

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "verify-release", version: "0.0.0" } },
};

const work = mkdtempSync(join(tmpdir(), "workrail-release-"));
try {
  const packages = publicPackages();
  const project = await install(packages);
  for (const { name } of packages.filter(({ isLibrary }) => isLibrary)) await importLibrary(project, name);
  await showVersion(project);
  await initializeServer(bin(project, "workrail-mcp"));
  await initializeServer(await installAsInImage(project));
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 3 });
}

/** Installs the tarballs. They refer to one another by versions that no registry has yet, so overrides point each to its file. */
async function install(packages: readonly PublicPackage[]): Promise<string> {
  const tarballs = Array.from(await pack(packages, work), ([name, file]) => [name, `file:${file}`] as const);
  const project = join(work, "project");
  mkdirSync(project);
  const manifest = {
    name: "scratch",
    private: true,
    type: "module",
    dependencies: Object.fromEntries(tarballs),
    overrides: Object.fromEntries(tarballs),
  };
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest));
  await must("npm install", ["npm", "install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"], project);
  return project;
}

/** Installs as the Dockerfile does, in another directory. Resolves to the program. */
async function installAsInImage(project: string): Promise<string> {
  const { dependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as { dependencies: Record<string, string> };
  const tarball = dependencies["@workrail/mcp-server"];
  if (tarball === undefined) throw new Error("@workrail/mcp-server is not packed.");
  const prefix = join(work, "image");
  await must("npm install of the Dockerfile", ["npm", "install", ...readImage().installArgs, `--prefix=${prefix}`, tarball], work);
  return process.platform === "win32" ? join(prefix, "workrail-mcp.cmd") : join(prefix, "bin", "workrail-mcp");
}

async function importLibrary(project: string, name: string): Promise<void> {
  // The conformance kit needs a running vitest; this can only check that it resolves.
  const code = name.endsWith("storage-conformance") ? `import.meta.resolve("${name}")` : `await import("${name}")`;
  await must(`import ${name}`, [process.execPath, "--input-type=module", "--eval", code], project);
}

async function showVersion(project: string): Promise<void> {
  const output = await must("workrail --version", [bin(project, "workrail"), "--version"], project);
  if (!/^\d+\.\d+\.\d+/.test(output)) throw new Error(`workrail --version said ${JSON.stringify(output)}`);
}

async function initializeServer(program: string): Promise<void> {
  const server = start(program, [], {
    cwd: work,
    env: { ...process.env, WORKRAIL_DATA_DIR: join(work, "data") },
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (server.stdin === null || server.stdout === null) throw new Error("workrail-mcp has no pipes");
  const deadline = setTimeout(() => server.kill(), ANSWER_TIMEOUT_MS);
  server.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  clearTimeout(deadline);
  server.stdin.end();
  if (first.done === true || !first.value.includes('"serverInfo"')) throw new Error("workrail-mcp did not answer initialize");
  console.log("ok  workrail-mcp answers initialize");
}

async function must(what: string, [command, ...args]: readonly [string, ...string[]], cwd: string): Promise<string> {
  const { code, output } = await run(command, args, { cwd });
  if (code !== 0) throw new Error(`${what} failed:\n${output}`);
  console.log(`ok  ${what}`);
  return output;
}

function bin(project: string, name: string): string {
  return join(project, "node_modules", ".bin", process.platform === "win32" ? `${name}.cmd` : name);
}
