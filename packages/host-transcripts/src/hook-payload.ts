/** Hosts whose hooks can be parsed. */
export const HOOK_HOSTS = ["claude-code", "codex", "gemini", "cursor", "opencode", "vscode"] as const;
/** The name of a host on the command line of a hook. */
export type HookHost = (typeof HOOK_HOSTS)[number];

/** Moments of a session at which hooks act. */
export type HookEvent = "session-start" | "user-prompt" | "pre-compact" | "stop" | "session-end";

/** The JSON that a host sends to a hook, in one form for all hosts. */
export interface HookPayload {
  readonly host: HookHost;
  /** `undefined`: a moment at which hooks do nothing, such as a tool call. */
  readonly event?: HookEvent | undefined;
  readonly sessionId: string;
  /** Absolute path of the transcript. A sub-agent has its own, never its parent's. */
  readonly transcriptPath?: string | undefined;
  readonly cwd?: string | undefined;
  /** The start of a session: startup, resume, clear, compact. */
  readonly source?: string | undefined;
  readonly prompt?: string | undefined;
  readonly lastAssistantMessage?: string | undefined;
  /** The reason for the end of a session. */
  readonly reason?: string | undefined;
  /** The trigger of a compaction: manual, auto. */
  readonly trigger?: string | undefined;
  /** Id of the sub-agent. */
  readonly agentId?: string | undefined;
  /** Type of the sub-agent. Empty for sub-agents that the host starts itself. */
  readonly agentType?: string | undefined;
  /** True when a stop hook made the agent continue. */
  readonly stopHookActive?: boolean | undefined;
  /** Messages of the session, from a host without a transcript file; for `readOpencodeMessages`. Never empty. */
  readonly messages?: readonly unknown[] | undefined;
}
