import path from "node:path";
import { hookCommand, type HookName, usualShell } from "../hook-command.ts";
import type { HostDefinition } from "../host-definition.ts";
import { hasPluginOn, type HookedEvent, hooksInJson } from "../parts/hooks-in-json.ts";
import { serverInJson } from "../parts/server-in-json.ts";
import { directoryFrom, type Surroundings } from "../surroundings.ts";

/** Seconds. Claude Code gives the hook of a session's end less time unless the hook asks for more. */
export const TIMEOUT = 5;
export const EVENTS: readonly (readonly [event: string, hook: HookName])[] = [
  ["SessionStart", "session-start"],
  ["UserPromptSubmit", "user-prompt"],
  ["PreCompact", "pre-compact"],
  ["Stop", "stop"],
  ["SessionEnd", "session-end"],
];

const folder = (surroundings: Surroundings): string =>
  directoryFrom(surroundings, "CLAUDE_CONFIG_DIR", path.join(surroundings.home, ".claude"));
const ownFile = (surroundings: Surroundings): string =>
  path.join(directoryFrom(surroundings, "CLAUDE_CONFIG_DIR", surroundings.home), ".claude.json");
const localSettings = ({ project }: Surroundings): string => path.join(project, ".claude", "settings.local.json");

export const claudeCode: HostDefinition = {
  host: "claude-code",
  title: "Claude Code",
  program: "claude",
  traces: (surroundings) => [folder(surroundings), ownFile(surroundings)],
  parts(surroundings, scope, { server, hook }) {
    const isUser = scope === "user";
    const servers = isUser ? ownFile(surroundings) : path.join(surroundings.project, ".mcp.json");
    // Commands hold paths of this machine, so they do not go into the shared settings of a project.
    const settings = isUser ? path.join(folder(surroundings), "settings.json") : localSettings(surroundings);
    const shell = usualShell(surroundings.platform);
    const events = EVENTS.map(([event, name]): HookedEvent => ({
      event,
      command: hookCommand({ program: hook, hook: name, host: "claude-code", shell }),
      timeout: TIMEOUT,
    }));
    return [
      serverInJson(
        { file: servers, dialect: "strict", under: ["mcpServers"], entry: (program) => ({ type: "stdio", ...program }) },
        server,
      ),
      hooksInJson({ file: settings, dialect: "strict", shape: "groups", extra: { type: "command" } }, events),
    ];
  },
  pluginFiles(surroundings) {
    const shared = path.join(surroundings.project, ".claude", "settings.json");
    return [path.join(folder(surroundings), "settings.json"), shared, localSettings(surroundings)].map((file) => ({
      file,
      isOn: hasPluginOn,
    }));
  },
  notes: (scope) => [
    "VS Code reads the hooks in ~/.claude/settings.json too.",
    ...(scope === "project" ? ["Claude Code asks once whether it may start the server of .mcp.json."] : []),
  ],
};
