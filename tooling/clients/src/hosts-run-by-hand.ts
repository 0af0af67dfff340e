/** A coding agent that was started with the product, and what its command for MCP servers said. */
interface HostRun {
  readonly host: string;
  readonly version: string;
  readonly listed: "connected" | "listed";
}

/** Date of the last run of `tooling/hosts` with real hosts. All its tests passed. */
export const RUN_ON = "2026-11-28";

/** The hosts of that run. The command of Codex lists servers without connecting to them. */
export const HOSTS_RUN_BY_HAND: readonly HostRun[] = [
  { host: "Claude Code", version: "2.1.330", listed: "connected" },
  { host: "Codex", version: "0.169.0", listed: "listed" },
  { host: "Gemini CLI", version: "0.61.0", listed: "connected" },
  { host: "opencode", version: "1.18.33", listed: "connected" },
];
