import { shellWord } from "@workrail/core";
import type { Program } from "./host-part.ts";

/** The shell that starts a host's hooks. PowerShell needs `&` before a quoted program; other shells do not know it. */
export type HookShell = "posix" | "cmd" | "powershell";

export type HookName = "session-start" | "user-prompt" | "pre-compact" | "stop" | "session-end";

export interface HookCall {
  readonly program: Program;
  readonly hook: HookName;
  readonly host: string;
  readonly shell: HookShell;
}

/** The command line of a hook. */
export function hookCommand({ program, hook, host, shell }: HookCall): string {
  const words = [program.command, ...program.args];
  const quoted = shell === "posix" ? words.map(shellWord) : words.map((word) => `"${word.replaceAll("\\", "/")}"`);
  return [...(shell === "powershell" ? ["&"] : []), ...quoted, "hook", hook, "--host", host].join(" ");
}

/** The shell of a host that uses Git Bash or cmd on Windows: both read the same quotes. */
export function usualShell(platform: NodeJS.Platform): HookShell {
  return platform === "win32" ? "cmd" : "posix";
}
