/** Hosts that can be set up. */
export const SETUP_HOSTS = ["claude-code", "codex", "gemini", "cursor", "vscode", "opencode", "windsurf"] as const;
/** The name of a host on the command line. */
export type SetupHost = (typeof SETUP_HOSTS)[number];
