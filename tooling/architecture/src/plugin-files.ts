import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EVENTS as CLAUDE_EVENTS, TIMEOUT } from "../../../packages/host-setup/src/hosts/claude-code.ts";
import { EVENTS as GEMINI_EVENTS, TIMEOUT_MS } from "../../../packages/host-setup/src/hosts/gemini.ts";
import { SERVER_PACKAGE } from "../../../packages/host-setup/src/our-program.ts";
import { opencodePlugin } from "../../../packages/host-setup/src/plugins/opencode-plugin.ts";
import { REPOSITORY_URL } from "./repository-url.ts";
import { ROOT, workspacePackages } from "./workspace.ts";

const NAME = "workrail";
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

/** Returns the version, which all packages share. */
function version(): string {
  const cli = workspacePackages().find(({ manifest }) => manifest.name === "@workrail/cli");
  return cli?.manifest.version ?? "0.0.0";
}

function inJson(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
