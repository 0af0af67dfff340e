/** Programs whose hooks are understood. */
export const HOOK_HOSTS = ["claude-code", "codex", "gemini", "cursor", "opencode", "vscode"] as const;
export type HookHost = (typeof HOOK_HOSTS)[number];

/** The moments of a session at which something is done. */
export type HookEvent = "session-start" | "user-prompt" | "pre-compact" | "stop" | "session-end";

/** The JSON that a host gives to a hook, in one shape for all hosts. */
export interface HookPayload {
  readonly host: HookHost;
  /** `undefined`: one that nothing is done at, such as the use of a tool. */
  readonly event?: HookEvent | undefined;
  readonly sessionId: string;
  /** Of a sub-agent its own, never that of its parent. */
  readonly transcriptPath?: string | undefined;
  readonly cwd?: string | undefined;
  /** How a session began: startup, resume, clear, compact. */
  readonly source?: string | undefined;
  readonly prompt?: string | undefined;
  readonly lastAssistantMessage?: string | undefined;
  /** Why a session ended. */
  readonly reason?: string | undefined;
  /** Of a compaction: manual, auto. */
  readonly trigger?: string | undefined;
  /** Of a sub-agent. */
  readonly agentId?: string | undefined;
  /** Empty for the sub-agents that a host starts for itself. */
  readonly agentType?: string | undefined;
  /** A stop hook made the agent go on. */
  readonly stopHookActive?: boolean | undefined;
  /** Messages of the session, where a host has no transcript file; for `readOpencodeMessages`. Never empty. */
  readonly messages?: readonly unknown[] | undefined;
}
