import path from "node:path";
import type { TranscriptHost } from "./host-transcript.ts";

/** The user whose transcripts are read. */
export interface TranscriptOwner {
  /** The user's home directory. */
  readonly home: string;
  /** Environment variables: they can move the files of a host. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function claudeRoot({ home, env }: TranscriptOwner): string {
  return path.join(env["CLAUDE_CONFIG_DIR"] || path.join(home, ".claude"), "projects");
}

export function codexRoot({ home, env }: TranscriptOwner): string {
  return path.join(env["CODEX_HOME"] || path.join(home, ".codex"), "sessions");
}

export function geminiRoot({ home, env }: TranscriptOwner): string {
  return path.join(env["GEMINI_CLI_HOME"] || home, ".gemini");
}

/** The folder below which a host keeps the transcripts of all projects. opencode has none. */
export function transcriptFolder(host: Exclude<TranscriptHost, "opencode">, owner: TranscriptOwner): string {
  if (host === "claude-code") return claudeRoot(owner);
  return host === "codex" ? codexRoot(owner) : path.join(geminiRoot(owner), "tmp");
}
