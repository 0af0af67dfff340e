// Tests the server with the MCP Inspector. The Inspector is larger than all our dependencies together, and is therefore not one of them.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, runNpx, runTool } from "./run.mjs";

const INSPECTOR = { "@modelcontextprotocol/inspector": "2.12.0" };
const FOLDER = join(ROOT, "node_modules", ".cache", "workrail", "inspector");

/** Installs the Inspector and runs its tests. Resolves to the exit code. */
export async function verifyInspector() {
  const { packageManager } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, "package.json"), `${JSON.stringify({ private: true, dependencies: INSPECTOR })}\n`);
  const args = [
    "--dir",
    FOLDER,
    "--ignore-workspace",
    "install",
    "--ignore-scripts",
    "--no-frozen-lockfile",
    "--config.minimumReleaseAge=10080",
  ];
  const code = await runNpx(["--yes", packageManager, ...args], { env: { npm_config_loglevel: "error" } });
  return code || runTool("vitest", ["run", "apps/mcp-server/src/inspector.test.ts"]);
}
