import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Places } from "./programs/host-program.ts";
import type { HostName } from "./scenario.ts";

/** The log file of the hook, and its text for the model at the start of a session. */
export interface LogHook {
  /** Absolute path of a file with one payload a line. */
  readonly log: string;
  readonly spoken: string;
}

const SHARED_EVENTS = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];
const CLAUDE_EVENTS = [...SHARED_EVENTS, "PostToolUseFailure", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact"];
const GEMINI_EVENTS = ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "PreCompress", "SessionEnd"];

/** Adds the logging hook to the settings of a host. Its other settings stay. */
export async function installLogHook(host: HostName, places: Places, hook: LogHook): Promise<void> {
  switch (host) {
    case "claude-code":
      return mergeHooks(join(places.home, ".claude", "settings.json"), hooks(CLAUDE_EVENTS, hook, 5));
    case "codex":
      return mergeHooks(join(places.home, ".codex", "hooks.json"), hooks(SHARED_EVENTS, hook, 3));
    case "gemini":
      // In milliseconds; other hosts use seconds.
      return mergeHooks(join(places.home, ".gemini", "settings.json"), hooks(GEMINI_EVENTS, hook, 5000));
    case "opencode":
      return writePlugin(join(places.home, ".config", "opencode", "plugins", "log.js"), hook);
  }
}

function hooks(events: readonly string[], { log, spoken }: LogHook, timeout: number): unknown {
  const script = fileURLToPath(new URL("log-hook.ts", import.meta.url));
  const command = [process.execPath, script, log, spoken].map((part) => JSON.stringify(part)).join(" ");
  return Object.fromEntries(events.map((event) => [event, [{ hooks: [{ type: "command", command, timeout }] }]]));
}

async function mergeHooks(path: string, hooks: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const present = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return "{}";
  });
  await writeFile(path, JSON.stringify({ ...(JSON.parse(present) as object), hooks }, undefined, 2));
}

/** Installs a plugin in place of hooks: events by name, and a change of the system prompt. */
async function writePlugin(path: string, { log, spoken }: LogHook): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(
    path,
    `import { appendFileSync } from "node:fs";
export const Log = async () => ({
  event: async ({ event }) => appendFileSync(${JSON.stringify(log)}, JSON.stringify({ hook_event_name: event.type, ...event }) + "\\n"),
  "experimental.chat.system.transform": async (_input, output) => void output.system.push(${JSON.stringify(spoken)}),
});
`,
  );
}
