import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HOST_PROGRAMS } from "./programs/host-programs.ts";

const folder = process.argv[2];
if (folder === undefined) throw new Error("Usage: node src/install-hosts.ts FOLDER");

const packages = Object.values(HOST_PROGRAMS).map(({ packageName, version }) => [packageName, version] as const);
// The packages of Claude Code and opencode install their program by a script.
const manifest = {
  private: true,
  dependencies: Object.fromEntries(packages),
  allowScripts: { "@anthropic-ai/claude-code": true, "opencode-ai": true },
};
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
const { status } = spawnSync("npm", ["install", "--no-audit", "--no-fund"], {
  cwd: folder,
  stdio: "inherit",
  shell: process.platform === "win32",
});
process.exitCode = status ?? 1;
