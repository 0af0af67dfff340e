export const SETUP_HOSTS = ["claude-code", "codex", "gemini", "cursor", "vscode", "opencode", "windsurf"] as const;
export type SetupHost = (typeof SETUP_HOSTS)[number];
