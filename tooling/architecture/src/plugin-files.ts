import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EVENTS as CLAUDE_EVENTS, TIMEOUT } from "../../../packages/host-setup/src/hosts/claude-code.ts";
import { EVENTS as GEMINI_EVENTS, TIMEOUT_MS } from "../../../packages/host-setup/src/hosts/gemini.ts";
import { SERVER_PACKAGE } from "../../../packages/host-setup/src/our-program.ts";
import { opencodePlugin } from "../../../packages/host-setup/src/plugins/opencode-plugin.ts";
import { REPOSITORY_URL } from "./repository-url.ts";
import { ROOT, workspacePackages } from "./workspace.ts";

const NAME = "workrail";
/** Name in the registry of MCP servers, and in the package that proves who owns it. */
const REGISTRY_NAME = "io.github.workrail/workrail";
const SUMMARY = "Keeps an agent's working state, so that it goes on after a crash, a full context or a hand-over";
const DESCRIPTION = "Saves the working state of an agent and gives it back: hooks, MCP server and a skill";
const SERVERS = { [NAME]: { command: "npx", args: ["-y", SERVER_PACKAGE] } };
const OWNER = { name: "The Workrail authors" };

/** Finds the module beside the plugin. */
const OPENCODE_IMPORTS = 'import { fileURLToPath } from "node:url";\n';
const OPENCODE_COMMAND = '["node", fileURLToPath(new URL("./run-hook.mjs", import.meta.url))]';

/** Returns the files of all plugins by their paths in the repository, generated from one source. */
export function pluginFiles(): ReadonlyMap<string, string> {
  const launcher = readFileSync(join(ROOT, "plugins/run-hook.mjs"), "utf8");
  const skill = readFileSync(join(ROOT, "plugins/skill.md"), "utf8");
  return new Map([
    [".claude-plugin/marketplace.json", inJson(marketplace())],
    [
      "plugins/claude-code/.claude-plugin/plugin.json",
      inJson({ name: NAME, version: version(), description: DESCRIPTION, author: OWNER, repository: REPOSITORY_URL, license: "MIT" }),
    ],
    ["plugins/claude-code/.mcp.json", inJson({ mcpServers: SERVERS })],
    ["plugins/claude-code/hooks/hooks.json", inJson({ description: DESCRIPTION, hooks: claudeHooks() })],
    ["plugins/claude-code/hooks/run-hook.mjs", launcher],
    ["plugins/claude-code/skills/workrail/SKILL.md", skill],
    ["plugins/gemini-cli/gemini-extension.json", inJson({ name: NAME, version: version(), description: DESCRIPTION, mcpServers: SERVERS })],
    ["plugins/gemini-cli/hooks/hooks.json", inJson({ hooks: geminiHooks() })],
    ["plugins/gemini-cli/hooks/run-hook.mjs", launcher],
    ["plugins/gemini-cli/skills/workrail/SKILL.md", skill],
    ["plugins/claude-desktop/manifest.json", inJson(extensionManifest())],
    ["server.json", inJson(registryEntry())],
    ["plugins/opencode/workrail.js", opencodePlugin(OPENCODE_COMMAND, OPENCODE_IMPORTS)],
    ["plugins/opencode/run-hook.mjs", launcher],
  ]);
}

function marketplace(): object {
  const plugin = { name: NAME, source: "./plugins/claude-code", description: DESCRIPTION };
  return { name: NAME, owner: OWNER, metadata: { description: DESCRIPTION }, plugins: [plugin] };
}

function claudeHooks(): object {
  const hooks = CLAUDE_EVENTS.map(([event, hook]) => {
    const args = ["${CLAUDE_PLUGIN_ROOT}/hooks/run-hook.mjs", "hook", hook, "--host", "claude-code"];
    return [event, [{ hooks: [{ type: "command", command: "node", args, timeout: TIMEOUT }] }]] as const;
  });
  return Object.fromEntries(hooks);
}

function geminiHooks(): object {
  const hooks = GEMINI_EVENTS.map(([event, hook]) => {
    const command = `node "\${extensionPath}/hooks/run-hook.mjs" hook ${hook} --host gemini`;
    return [event, [{ hooks: [{ name: NAME, type: "command", command, timeout: TIMEOUT_MS }] }]] as const;
  });
  return Object.fromEntries(hooks);
}

/** Entry of the registry of MCP servers. Its schema: https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json. */
function registryEntry(): object {
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: REGISTRY_NAME,
    title: "Workrail",
    description: SUMMARY,
    version: version(),
    websiteUrl: `${REPOSITORY_URL}#readme`,
    repository: { url: REPOSITORY_URL, source: "github", subfolder: "apps/mcp-server" },
    packages: [
      {
        registryType: "npm",
        registryBaseUrl: "https://registry.npmjs.org",
        identifier: SERVER_PACKAGE,
        version: version(),
        runtimeHint: "npx",
        transport: { type: "stdio" },
        environmentVariables: [
          { name: "WORKRAIL_DATA_DIR", description: "The directory of the store", format: "filepath" },
          { name: "WORKRAIL_PROJECT", description: "The project's directory, if the host starts servers elsewhere", format: "filepath" },
          { name: "WORKRAIL_READ_ONLY", description: "Only read the store", format: "boolean" },
        ],
      },
    ],
  };
}

/** Manifest of the bundle for Claude Desktop (MCPB 0.3). `make-extension.ts` of the release tooling packs it with the server. */
function extensionManifest(): object {
  const program = "server/workrail-mcp.mjs";
  return {
    manifest_version: "0.3",
    name: NAME,
    display_name: "Workrail",
    version: version(),
    description: SUMMARY,
    author: OWNER,
    repository: { type: "git", url: `${REPOSITORY_URL}.git` },
    homepage: `${REPOSITORY_URL}#readme`,
    support: `${REPOSITORY_URL}/issues`,
    license: "MIT",
    keywords: ["agent", "checkpoint", "context", "memory", "resume"],
    server: { type: "node", entry_point: program, mcp_config: { command: "node", args: [`\${__dirname}/${program}`], env: {} } },
    tools_generated: true,
    compatibility: { platforms: ["darwin", "linux", "win32"], runtimes: { node: ">=22" } },
  };
}

/** Returns the version, which all packages share. */
function version(): string {
  const cli = workspacePackages().find(({ manifest }) => manifest.name === "@workrail/cli");
  return cli?.manifest.version ?? "0.0.0";
}

function inJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
