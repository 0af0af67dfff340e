import { readdirSync, statSync, type Dirent } from "node:fs";
import path from "node:path";
import type { FoundTranscript, TranscriptHost } from "./host-transcript.ts";
import { projectRootOf } from "./gemini/project-root-of.ts";
import { parseRecord, recordOf } from "./json-record.ts";
import { orAbsent, textOfFile } from "./or-absent.ts";
import { claudeRoot, codexRoot, geminiRoot } from "./transcript-folder.ts";
import { peekIfReadable } from "./peek-transcript.ts";

/** The home directory to search, and filters. Without filters all transcripts are found. */
export interface FindTranscriptsOptions {
  /** The user's home directory. */
  readonly home: string;
  /** Environment variables: they can move the files of a host. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path. Finds only sessions that began in this directory. */
  readonly project?: string | undefined;
  /** Path of a transcript. Finds only transcripts beside it. */
  readonly near?: string | undefined;
  /** Finds only transcripts that changed after this time. */
  readonly since?: Date | undefined;
  /** The most transcripts to return: the newest ones. */
  readonly limit?: number | undefined;
}

/**
 * Finds the transcripts of a host, newest first, without those of sub-agents.
 *
 * Returns none for a folder that is missing or not readable, and none for opencode, whose sessions are in a database.
 */
export async function findTranscripts(host: TranscriptHost, options: FindTranscriptsOptions): Promise<readonly FoundTranscript[]> {
  const { since, limit = Infinity } = options;
  const found = filesOf(host, options)
    .flatMap((file) => lookAt(host, file))
    .filter(({ modifiedAt }) => since === undefined || modifiedAt >= since)
    .sort((a, b) => b.modifiedAt.getTime() - a.modifiedAt.getTime() || (a.file < b.file ? -1 : 1));
  if (host !== "codex" || options.project === undefined) return found.slice(0, limit);
  return ofProject(found, options.project, limit);
}

function filesOf(host: TranscriptHost, options: FindTranscriptsOptions): readonly string[] {
  if (host === "claude-code") return claudeFolders(options).flatMap((folder) => filesIn(folder, /^(?!agent-).*\.jsonl$/u));
  if (host === "codex") return codexFolders(options).flatMap((folder) => filesIn(folder, /^rollout-.*\.jsonl$/u));
  if (host === "gemini") return geminiFolders(options).flatMap((folder) => filesIn(folder, /^session-.*\.jsonl?$/u));
  return [];
}

/** Only the first line of a rollout names its directory. */
async function ofProject(found: readonly FoundTranscript[], project: string, limit: number): Promise<readonly FoundTranscript[]> {
  const those: FoundTranscript[] = [];
  for (const each of found) {
    if (those.length >= limit) break;
    const facts = await peekIfReadable(each.host, each.file);
    if (facts?.cwd !== undefined && path.resolve(facts.cwd) === path.resolve(project)) those.push(each);
  }
  return those;
}

/** Characters. The host cuts longer names, and appends a digest. */
const MAX_CLAUDE_NAME = 200;

function claudeFolders({ home, env, project, near }: FindTranscriptsOptions): readonly string[] {
  if (near !== undefined) return [path.dirname(near)];
  const root = claudeRoot({ home, env });
  if (project === undefined) return foldersIn(root);
  const name = project.replaceAll(/[^a-zA-Z0-9]/gu, "-");
  if (name.length <= MAX_CLAUDE_NAME) return [path.join(root, name)];
  return foldersIn(root).filter((folder) => path.basename(folder).startsWith(`${name.slice(0, MAX_CLAUDE_NAME)}-`));
}

/** The folder of a session is the day on which it began. It may be resumed much later. */
const MAX_SESSION_DAYS = 30;

function codexFolders({ home, env, near, since }: FindTranscriptsOptions): readonly string[] {
  if (near !== undefined) return [path.dirname(near)];
  const root = codexRoot({ home, env });
  const first = since === undefined ? "" : dayOf(new Date(since.getTime() - MAX_SESSION_DAYS * 86_400_000));
  const days = foldersIn(root).flatMap(foldersIn).flatMap(foldersIn);
  return days.filter((folder) => path.relative(root, folder).replaceAll(/[/\\]/gu, "-") >= first);
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function geminiFolders({ home, env, project, near }: FindTranscriptsOptions): readonly string[] {
  if (near !== undefined) return [path.dirname(near)];
  const root = geminiRoot({ home, env });
  const projects = foldersIn(path.join(root, "tmp"));
  const name = project === undefined ? undefined : geminiName(root, project);
  const those =
    project === undefined ? projects : projects.filter((folder) => path.basename(folder) === name || projectRootOf(folder) === project);
  return those.map((folder) => path.join(folder, "chats"));
}

/** The short name that Gemini CLI gives to a project. */
function geminiName(root: string, project: string): string | undefined {
  const names = recordOf(parseRecord(textOfFile(path.join(root, "projects.json")) ?? "")?.["projects"]);
  const name = names?.[project];
  return typeof name === "string" ? name : undefined;
}

function entriesOf(folder: string): readonly Dirent[] {
  return orAbsent(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}

function foldersIn(folder: string): readonly string[] {
  return entriesOf(folder).flatMap((entry) => (entry.isFile() ? [] : path.join(folder, entry.name)));
}

function filesIn(folder: string, name: RegExp): readonly string[] {
  return entriesOf(folder).flatMap((entry) => (name.test(entry.name) ? path.join(folder, entry.name) : []));
}

/** A found file; none when it is missing or not a regular file. */
function lookAt(host: TranscriptHost, file: string): readonly FoundTranscript[] {
  const found = orAbsent(() => statSync(file));
  return found?.isFile() === true ? [{ host, file: path.resolve(file), sizeBytes: found.size, modifiedAt: found.mtime }] : [];
}
