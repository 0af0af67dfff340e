import { createHash } from "node:crypto";
import path from "node:path";
import { calledBackFiles, readGivenFile } from "@workrail/blob-files";
import { type CheckpointRecord, type Context, type GitState, gitStateOf } from "@workrail/core";
import { namedPaths } from "@workrail/views";
import type { GitFailure } from "../git/ask-git.ts";
import { type OrFailure, commitsHere, countCommits, filesAt, renamesSince } from "../git/git-history.ts";
import { GitReader } from "../git/read-git-state.ts";

/** Changes in the repository since a checkpoint was saved. */
export interface Drift {
  /** Summary in words. */
  says: string;
  /** Branch and commit at the save. Commits are abbreviated to 12 digits. */
  saved: { branch?: string; commit?: string };
  /** The current working tree. */
  now: { root: string; branch?: string; commit?: string };
  /**
   * Relation of the current commit to the saved one. `same`; `ahead`: commits were added; `behind`: commits are missing; `rebased`: the
   * same branch was rewritten; `diverged`: another branch with commits of its own; `unknown`.
   */
  relation: "same" | "ahead" | "behind" | "rebased" | "diverged" | "unknown";
  /** Commits added since, and commits of the saved state that are missing here. */
  ahead?: number;
  behind?: number;
  /** Files named in the context that were changed, renamed or deleted since: the first of each, and their number. */
  files?: {
    named: number;
    changed?: string[];
    changedCount?: number;
    renamed?: { from: string; to: string }[];
    renamedCount?: number;
    deleted?: string[];
    deletedCount?: number;
  };
  /** Why the report is incomplete. */
  unknown?: string;
}

/** The repository at the time of a save, and the files that the saved context names. */
export interface SavedRepository {
  readonly git: GitState;
  readonly project: string | undefined;
  /** Paths as the context names them. */
  readonly paths: readonly string[];
  readonly savedAt: Date;
}

/** Returns the repository of a checkpoint; `undefined` for one saved outside of a repository. */
export function savedRepositoryOf(
  record: Pick<CheckpointRecord, "attributes" | "project" | "createdAt">,
  context: Context,
): SavedRepository | undefined {
  const git = gitStateOf(record);
  return git === undefined ? undefined : { git, project: record.project, paths: namedPaths(context), savedAt: record.createdAt };
}

const MOST_TOLD = 10;
const LONGEST_TOLD = 160;
/** Larger files are not read: a later modification time counts as a change. */
const MOST_BYTES = 8 * 1024 * 1024;

const WHY: Readonly<Record<GitFailure, string>> = {
  "no-git": "git is not installed here",
  timeout: "git took too long",
  refused: "the saved commit is missing in this repository, or git may not read it",
};

/** Compares with the current working tree: the given one, if it belongs to the same repository, else the one of the save. */
export async function findDriftHere(of: SavedRepository, here: GitState | undefined): Promise<Drift> {
  return findDrift(of, await whereItIs(of.git, here));
}

/**
 * Compares the current repository with its state at a save, for the files that the context names. Runs git for answers that are not in the
 * repository's files. Without git, or after a timeout, the report names the missing parts. Never rejects for that reason.
 *
 * @param now the current working tree.
 */
export async function findDrift(of: SavedRepository, now: GitState | undefined): Promise<Drift> {
  const saved = of.git;
  if (now === undefined) {
    const says = "Saved in a git repository that is not here: later changes in it are unknown.";
    return { says, saved: told(saved), now: { root: saved.root }, relation: "unknown", unknown: "the repository is not here" };
  }
  const places = { saved: told(saved), now: { root: now.root, ...told(now) } };
  if (saved.commit === undefined || now.commit === undefined) {
    const unknown = "the repository had no commit, or it could not be read";
    return { says: sentence(saved, now, { relation: "unknown", unknown }), ...places, relation: "unknown", unknown };
  }
  const [counts, files] = await Promise.all([
    saved.commit === now.commit ? { behind: 0, ahead: 0 } : countCommits(now.root, saved.commit, now.commit),
    findChanged(now.root, saved.commit, of),
  ]);
  const failure = [counts, files].map((asked) => ("failure" in asked ? asked.failure : undefined)).find((each) => each !== undefined);
  const unknown = failure === undefined ? undefined : WHY[failure];
  const commits = "failure" in counts ? { relation: "unknown" as const } : commitsOf(counts, saved, now);
  const changes = "failure" in files ? {} : { files };
  const since = { ...commits, ...changes, ...(unknown === undefined ? {} : { unknown }) };
  return { says: sentence(saved, now, since), ...places, ...since };
}

/** Returns the working tree to continue in: the current one, if it belongs to the same repository, else the one of the save. */
async function whereItIs(saved: GitState, here: GitState | undefined): Promise<GitState | undefined> {
  if (here !== undefined) {
    const isSame = here.commonDir === saved.commonDir || (here.remote !== undefined && here.remote === saved.remote);
    if (isSame || (saved.commit !== undefined && (await commitsHere(here.root, [saved.commit])).size > 0)) return here;
  }
  const there = await new GitReader(saved.root).read();
  return there?.commonDir === saved.commonDir ? there : undefined;
}

type Commits = Pick<Drift, "relation" | "ahead" | "behind">;

function commitsOf({ behind, ahead }: { readonly behind: number; readonly ahead: number }, saved: GitState, now: GitState): Commits {
  if (behind === 0) return ahead === 0 ? { relation: "same" } : { relation: "ahead", ahead };
  if (ahead === 0) return { relation: "behind", behind };
  return { relation: saved.branch !== undefined && saved.branch === now.branch ? "rebased" : "diverged", ahead, behind };
}

function told({ branch, commit }: GitState): { branch?: string; commit?: string } {
  return { ...(branch === undefined ? {} : { branch: shown(branch) }), ...(commit === undefined ? {} : { commit: commit.slice(0, 12) }) };
}

async function findChanged(
  root: string,
  commit: string,
  { git: saved, project, paths, savedAt }: SavedRepository,
): Promise<OrFailure<NonNullable<Drift["files"]>>> {
  const named = within(paths, { root, saved, project });
  const files = await filesAt(root, commit, named);
  if ("failure" in files) return files;
  const fates = await Promise.all([...files].map(async ([file, id]) => ({ file, fate: await fateOf(root, { file, id }, savedAt) })));
  const of = (fate: FileState): string[] => fates.filter((each) => each.fate === fate).map(({ file }) => file);
  const gone = of("gone");
  const renames = gone.length === 0 ? new Map<string, string>() : await renamesSince(root, commit);
  if ("failure" in renames) return renames;
  const renamed = gone.flatMap((from) => {
    const to = renames.get(from);
    return to === undefined ? [] : [{ from: shown(from), to: shown(to) }];
  });
  const deleted = gone.filter((file) => !renames.has(file));
  return {
    named: files.size,
    ...some("changed", of("changed").map(shown)),
    ...some("renamed", renamed),
    ...some("deleted", deleted.map(shown)),
  };
}

function some(name: string, all: readonly unknown[]): object {
  if (all.length === 0) return {};
  return { [name]: all.slice(0, MOST_TOLD), ...(all.length > MOST_TOLD ? { [`${name}Count`]: all.length } : {}) };
}

/**
 * Converts paths to git's form: from the root, with slashes. A text may name a file from the root, from the project, or by its full path
 * then or now. Paths outside of the repository are dropped.
 */
function within(paths: readonly string[], { root, saved, project }: Folders): string[] {
  const part = project === undefined ? "" : inside(saved.root, project);
  const found = paths.flatMap((given) => {
    if (path.isAbsolute(given)) return [root, saved.root].map((folder) => inside(folder, given));
    return ["", part ?? ""].map((base) => inside(root, path.join(root, base, given.replaceAll("\\", "/"))));
  });
  return [...new Set(found)].filter((file) => file !== undefined && file !== "") as string[];
}

interface Folders {
  /** Root of the current working tree. */
  readonly root: string;
  readonly saved: GitState;
  readonly project: string | undefined;
}

/** Returns the relative path from a folder to a place in it, with slashes; `undefined` outside of the folder. */
function inside(folder: string, place: string): string | undefined {
  const way = path.relative(folder, place);
  return way === ".." || way.startsWith(`..${path.sep}`) || path.isAbsolute(way) ? undefined : way.split(path.sep).join("/");
}

type FileState = "same" | "changed" | "gone";

/** Tells how a file changed. A file written before the save is unchanged, whatever the commit says. */
async function fateOf(root: string, { file, id }: { readonly file: string; readonly id: string }, savedAt: Date): Promise<FileState> {
  const place = path.join(root, ...file.split("/"));
  const stat = await calledBackFiles.lstat(place).catch(() => undefined);
  if (stat === undefined) return "gone";
  if (!stat.isFile() || stat.mtime <= savedAt) return "same";
  const read = await readGivenFile(root, place, { maxBytes: MOST_BYTES });
  const isSame = "bytes" in read && [read.bytes, withLineFeeds(read.bytes)].some((each) => blobId(each, id.length) === id);
  return isSame ? "same" : "changed";
}

/** Normalises line ends, as git does for a text file that it checks out with CRLF on Windows. */
function withLineFeeds(bytes: Buffer): Buffer {
  return bytes.includes("\r\n") ? Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1") : bytes;
}

/** Returns git's object id of a file's content. */
function blobId(bytes: Uint8Array, length: number): string {
  return createHash(length === 64 ? "sha256" : "sha1")
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest("hex");
}

function sentence(saved: GitState, now: GitState, { files, unknown, ...commits }: Omit<Drift, "says" | "saved" | "now">): string {
  const counts = files === undefined ? [] : [countOf(files, "changed"), countOf(files, "renamed"), countOf(files, "deleted")];
  const touched = counts.filter((each) => each !== undefined);
  const parts = [
    `Saved ${saved.branch === undefined ? "on no branch" : `on branch ${shown(saved.branch)}`}`,
    ...(saved.branch === now.branch ? [] : [now.branch === undefined ? "now on no branch" : `now on branch ${shown(now.branch)}`]),
    describeCommits(commits),
    files === undefined || files.named === 0 ? undefined : `named files: ${touched.length === 0 ? "none changed" : touched.join(", ")}`,
    unknown === undefined ? undefined : `later changes are not fully known: ${unknown}`,
  ];
  return `${parts.filter((each) => each !== undefined).join("; ")}.`;
}

function countOf(files: NonNullable<Drift["files"]>, fate: "changed" | "renamed" | "deleted"): string | undefined {
  const count = files[`${fate}Count`] ?? files[fate]?.length ?? 0;
  return count === 0 ? undefined : `${count} ${fate}`;
}

function describeCommits({ relation, ahead = 0, behind = 0 }: Commits): string | undefined {
  switch (relation) {
    case "same":
      return "no commits since";
    case "ahead":
      return `${ahead} ${plural(ahead)} since`;
    case "behind":
      return `${behind} ${plural(behind)} behind the saved one`;
    case "rebased":
      return `the branch was rewritten: ${ahead} new ${plural(ahead)}, ${behind} saved ${plural(behind)} missing`;
    case "diverged":
      return `diverged: ${ahead} new ${plural(ahead)}, ${behind} saved ${plural(behind)} missing`;
    case "unknown":
      return undefined;
  }
}

function plural(count: number): string {
  return count === 1 ? "commit" : "commits";
}

function shown(text: string): string {
  const clean = text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "?");
  return clean.length <= LONGEST_TOLD ? clean : `...${clean.slice(-(LONGEST_TOLD - 3)).toWellFormed()}`;
}
