import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SETTING_NAMES, variableOf } from "@workrail/runtime/settings";
import { pluginFiles } from "./plugin-files.ts";
import { ROOT } from "./workspace.ts";

const SOURCES = ["plugins/run-hook.mjs", "plugins/skill.md"];

describe("the plugins of agents", () => {
  it("equal the output of write-plugins.ts", () => {
    for (const [path, text] of pluginFiles()) expect(readFileSync(join(ROOT, path), "utf8"), path).toBe(text);
  });

  it("have no other files", () => {
    const found = globSync("{plugins,.claude-plugin}/{**/.*,**/.*/*,**}", { cwd: ROOT, withFileTypes: true });
    const files = new Set(
      found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length).replaceAll("\\", "/")),
    );
    const ours = [...pluginFiles().keys()].filter((path) => path.includes("/"));
    expect([...files].toSorted()).toEqual([...ours, ...SOURCES].toSorted());
  });

  it("start the same server as the links for VS Code and Cursor", () => {
    const page = readFileSync(join(ROOT, "docs/how-to/connect-your-agent.md"), "utf8");
    const configs = [...page.matchAll(/\?name=workrail&config=([^)]+)\)/gu)].map(([, text = ""]) => decodeURIComponent(text));
    const parsed = configs.map((text) => JSON.parse(text.startsWith("{") ? text : Buffer.from(text, "base64").toString()) as unknown);
    const { mcpServers } = JSON.parse(pluginFiles().get("plugins/claude-code/.mcp.json") ?? "") as { readonly mcpServers: object };
    expect(parsed).toEqual([...Object.values(mcpServers), ...Object.values(mcpServers)]);
  });

  it("are named in the registry of MCP servers by the name in the package", () => {
    const entry = JSON.parse(pluginFiles().get("server.json") ?? "") as Record<string, string>;
    const manifest = JSON.parse(readFileSync(join(ROOT, "apps/mcp-server/package.json"), "utf8")) as Record<string, string>;
    expect(manifest["mcpName"]).toBe(entry["name"]);
    // Limits of the registry's schema.
    expect(entry["name"]).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/u);
    expect(entry["description"]?.length).toBeLessThanOrEqual(100);
    const variables = entry as unknown as {
      readonly packages: readonly [{ readonly environmentVariables: readonly { readonly name: string }[] }];
    };
    for (const { name } of variables.packages[0].environmentVariables) expect(SETTING_NAMES.map(variableOf)).toContain(name);
  });
});

describe("plugins/run-hook.mjs", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "workrail-plugin-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function run(env: Readonly<Record<string, string>> = {}): {
    readonly status: number | null;
    readonly stdout: string;
    readonly stderr: string;
  } {
    const args = [join(ROOT, "plugins/run-hook.mjs"), "hook", "stop", "--host", "claude-code"];
    const clean = { PATH: "", HOME: folder, USERPROFILE: folder, APPDATA: folder, LOCALAPPDATA: folder };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { input: "{}", encoding: "utf8", env: { ...clean, ...env } });
    return { status, stdout, stderr };
  }

  /** A program that prints its own name and its arguments. */
  function install(...names: readonly string[]): void {
    const file = join(folder, ...names);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'process.stdout.write([process.argv[1].split(/[\\\\/]/u).at(-1), ...process.argv.slice(2)].join(" "));');
  }

  it("does nothing without an installation", () => {
    expect(run()).toEqual({ status: 0, stdout: "", stderr: "" });
  });

  it("runs the command line that is installed globally", () => {
    const prefix = process.platform === "win32" ? ["npm"] : ["lib"];
    install(...prefix, "node_modules", "@workrail", "cli", "dist", "workrail.mjs");
    install("cache", "_npx", "0f1e", "node_modules", "@workrail", "mcp-server", "dist", "workrail-mcp.mjs");
    const env = { npm_config_prefix: folder, npm_config_cache: join(folder, "cache") };
    expect(run(env)).toEqual({ status: 0, stdout: "workrail.mjs hook stop --host claude-code", stderr: "" });
  });

  it("runs the server that npx has fetched where no command line is installed", () => {
    install("cache", "_npx", "0f1e", "node_modules", "@workrail", "mcp-server", "dist", "workrail-mcp.mjs");
    expect(run({ npm_config_cache: join(folder, "cache") }).stdout).toBe("workrail-mcp.mjs hook stop --host claude-code");
  });
});
