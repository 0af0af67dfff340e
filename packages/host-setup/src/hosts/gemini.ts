import path from "node:path";
import { hookCommand, type HookName } from "../hook-command.ts";
import type { HostDefinition } from "../host-definition.ts";
import { type HookedEvent, hooksInJson } from "../parts/hooks-in-json.ts";
import { serverInJson } from "../parts/server-in-json.ts";
import { directoryFrom, type Surroundings } from "../surroundings.ts";

export const TIMEOUT_MS = 5_000;
/** Without `PreCompress`, because it fires before every call of the model. */
export const EVENTS: readonly (readonly [event: string, hook: HookName])[] = [
  ["SessionStart", "session-start"],
  ["BeforeAgent", "user-prompt"],
  ["AfterAgent", "stop"],
  ["SessionEnd", "session-end"],
];

const folder = (surroundings: Surroundings): string =>
  path.join(directoryFrom(surroundings, "GEMINI_CLI_HOME", surroundings.home), ".gemini");

export const gemini: HostDefinition = {
  host: "gemini",
  title: "Gemini CLI",
  program: "gemini",
  traces: (surroundings) => [folder(surroundings)],
  parts(surroundings, scope, { server, hook }) {
    const place = scope === "user" ? folder(surroundings) : path.join(surroundings.project, ".gemini");
    const json = { file: path.join(place, "settings.json"), dialect: "comments" } as const;
    const shell = surroundings.platform === "win32" ? "powershell" : "posix";
    const events = EVENTS.map(([event, name]): HookedEvent => ({
      event,
      command: hookCommand({ program: hook, hook: name, host: "gemini", shell }),
      timeout: TIMEOUT_MS,
    }));
    return [
      serverInJson({ ...json, under: ["mcpServers"], entry: (program) => ({ ...program }) }, server),
      hooksInJson({ ...json, shape: "groups", extra: { name: "workrail", type: "command" } }, events),
    ];
  },
  pluginFiles: (surroundings) => [
    { file: path.join(folder(surroundings), "extensions", "workrail", "gemini-extension.json"), isOn: () => true },
  ],
  notes: () => ["Gemini CLI starts servers and hooks in folders that you trust."],
};
