import path from "node:path";
import { hookCommand, type HookName, usualShell } from "../hook-command.ts";
import type { HostDefinition } from "../host-definition.ts";
import { type HookedEvent, hooksInJson } from "../parts/hooks-in-json.ts";
import { serverInToml } from "../parts/server-in-toml.ts";
import { directoryFrom, type Surroundings } from "../surroundings.ts";

/** Seconds. Codex gives the hook of a session's end at most three. */
const EVENTS: readonly (readonly [event: string, hook: HookName, timeout: number])[] = [
  ["SessionStart", "session-start", 5],
  ["UserPromptSubmit", "user-prompt", 5],
  ["PreCompact", "pre-compact", 5],
  ["Stop", "stop", 5],
  ["SessionEnd", "session-end", 3],
];

const folder = (surroundings: Surroundings): string => directoryFrom(surroundings, "CODEX_HOME", path.join(surroundings.home, ".codex"));

export const codex: HostDefinition = {
  host: "codex",
  title: "Codex",
  program: "codex",
  traces: (surroundings) => [folder(surroundings)],
  parts(surroundings, scope, { server, hook }) {
    const place = scope === "user" ? folder(surroundings) : path.join(surroundings.project, ".codex");
    const shell = usualShell(surroundings.platform);
    const events = EVENTS.map(([event, name, timeout]): HookedEvent => ({
      event,
      command: hookCommand({ program: hook, hook: name, host: "codex", shell }),
      timeout,
    }));
    return [
      serverInToml(path.join(place, "config.toml"), server),
      hooksInJson({ file: path.join(place, "hooks.json"), dialect: "strict", shape: "groups", extra: { type: "command" } }, events),
    ];
  },
  notes: () => ["Codex silently skips hooks until you trust them: run /hooks in Codex and trust the hooks of Workrail."],
};
