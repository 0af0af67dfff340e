import path from "node:path";
import { hookCommand, type HookName, usualShell } from "../hook-command.ts";
import type { HostDefinition } from "../host-definition.ts";
import { type HookedEvent, hooksInJson } from "../parts/hooks-in-json.ts";
import { serverInJson } from "../parts/server-in-json.ts";

/** Seconds. */
const TIMEOUT = 5;
const EVENTS: readonly (readonly [event: string, hook: HookName])[] = [
  ["sessionStart", "session-start"],
  ["beforeSubmitPrompt", "user-prompt"],
  ["preCompact", "pre-compact"],
  ["stop", "stop"],
  ["sessionEnd", "session-end"],
];

export const cursor: HostDefinition = {
  host: "cursor",
  title: "Cursor",
  program: "cursor",
  traces: ({ home }) => [path.join(home, ".cursor")],
  parts({ home, project, platform }, scope, { server, hook }) {
    const place = path.join(scope === "user" ? home : project, ".cursor");
    const shell = usualShell(platform);
    const events = EVENTS.map(([event, name]): HookedEvent => ({
      event,
      command: hookCommand({ program: hook, hook: name, host: "cursor", shell }),
      timeout: TIMEOUT,
    }));
    return [
      serverInJson(
        { file: path.join(place, "mcp.json"), dialect: "strict", under: ["mcpServers"], entry: (program) => ({ ...program }) },
        server,
      ),
      hooksInJson({ file: path.join(place, "hooks.json"), dialect: "strict", shape: "flat", head: { version: 1 } }, events),
    ];
  },
  notes: () => [
    "Cursor's window drops the text of hooks at the start of a session: ask the agent to resume, or use Cursor's command line.",
  ],
};
