import { readdirSync, statSync, type Dirent } from "node:fs";
import path from "node:path";
import type { FoundTranscript, TranscriptHost } from "./host-transcript.ts";
import { orAbsent } from "./or-absent.ts";

/** Files below a folder that have the name of a transcript. */
export interface TranscriptsBelow {
  /** Newest first. */
  readonly transcripts: readonly FoundTranscript[];
  /** The number of transcripts of sub-agents, by their names. `transcripts` does not include them. */
  readonly subagents: number;
  /** Folders that must not be read. */
  readonly unreadable: readonly string[];
}

const NAMES: Readonly<Record<Exclude<TranscriptHost, "opencode">, RegExp>> = {
  "claude-code": /\.jsonl$/u,
  codex: /^rollout-.*\.jsonl$/u,
  gemini: /\.jsonl?$/u,
};
/** Levels of folders; hosts use fewer. */
const MOST_LEVELS = 16;

/** Finds a host's transcripts anywhere below a folder. Does not follow links to folders; returns none for a missing folder. */
export function transcriptsBelow(host: Exclude<TranscriptHost, "opencode">, folder: string): TranscriptsBelow {
  const files: string[] = [];
  const unreadable: string[] = [];
  gather(folder, 0);
  const [subagents, own] = [files.filter(isOfSubagent), files.filter((file) => !isOfSubagent(file) && isTranscript(host, file))];
  return { transcripts: own.flatMap((file) => found(host, file)).sort(newestFirst), subagents: subagents.length, unreadable };

  function gather(at: string, level: number): void {
    for (const entry of entriesOf(at, unreadable)) {
      const below = path.join(at, entry.name);
      if (entry.isDirectory() && level < MOST_LEVELS) gather(below, level + 1);
      else if (!entry.isDirectory() && NAMES[host].test(entry.name)) files.push(below);
    }
  }
}

/** Claude Code names them `agent-*.jsonl`; Gemini CLI keeps them in a folder below the chats. */
function isOfSubagent(file: string): boolean {
  return /[/\\](?:agent-[^/\\]*\.jsonl|chats[/\\][^/\\]+[/\\][^/\\]+)$/u.test(file);
}

/** Gemini CLI keeps other JSON files in the same folder. */
function isTranscript(host: TranscriptHost, file: string): boolean {
  return host !== "gemini" || path.basename(file).startsWith("session-");
}

function entriesOf(folder: string, unreadable: string[]): readonly Dirent[] {
  const entries = orAbsent(() => readdirSync(folder, { withFileTypes: true }));
  if (entries === undefined && orAbsent(() => statSync(folder)) !== undefined) unreadable.push(folder);
  return entries ?? [];
}

function found(host: TranscriptHost, file: string): readonly FoundTranscript[] {
  const stat = orAbsent(() => statSync(file));
  return stat?.isFile() === true ? [{ host, file: path.resolve(file), sizeBytes: stat.size, modifiedAt: stat.mtime }] : [];
}

function newestFirst(left: FoundTranscript, right: FoundTranscript): number {
  return right.modifiedAt.getTime() - left.modifiedAt.getTime() || (left.file < right.file ? -1 : 1);
}
