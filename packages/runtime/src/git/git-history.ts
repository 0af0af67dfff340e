import { askGit, type GitFailure } from "./ask-git.ts";

/** Limits of paths in one command, within the command-line length of every system. */
const MOST_PATHS = 500;
const MOST_CHARACTERS = 20_000;

export type OrFailure<T> = T | { readonly failure: GitFailure };

/** Counts the commits that only `from` has (behind) and that only `to` has (ahead). */
export async function countCommits(
  root: string,
  from: string,
  to: string,
): Promise<OrFailure<{ readonly behind: number; readonly ahead: number }>> {
  const answer = await askGit(root, { args: ["rev-list", "--left-right", "--count", `${from}...${to}`, "--"] });
  if ("failure" in answer) return answer;
  const [behind = 0, ahead = 0] = answer.output.trim().split(/\s+/u).map(Number);
  return { behind, ahead };
}

/** Returns those of the paths that are files of a commit, with the ids of their contents. Nothing is said about the others. */
export async function filesAt(root: string, commit: string, paths: readonly string[]): Promise<OrFailure<ReadonlyMap<string, string>>> {
  const asked: string[] = [];
  let left = MOST_CHARACTERS;
  for (const path of paths.slice(0, MOST_PATHS)) {
    left -= path.length + 3;
    if (left < 0) break;
    asked.push(path);
  }
  if (asked.length === 0) return new Map();
  const answer = await askGit(root, { args: ["ls-tree", "-z", "--full-tree", commit, "--", ...asked] });
  if ("failure" in answer) return answer;
  const rows = answer.output.split("\0").map((row) => /^100\d{3} blob ([0-9a-f]+)\t(.+)$/su.exec(row));
  return new Map(rows.filter((row) => row !== null).map(([, id = "", path = ""]) => [path, id]));
}

/** Returns the current names, in the index, of files of a commit that were renamed. */
export async function renamesSince(root: string, commit: string): Promise<OrFailure<ReadonlyMap<string, string>>> {
  const how = ["--cached", "-M", "-z", "--name-status", "--diff-filter=R", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
  const answer = await askGit(root, { args: ["diff-index", ...how, commit, "--"] });
  if ("failure" in answer) return answer;
  const fields = answer.output.split("\0");
  const renames = new Map<string, string>();
  for (let at = 0; at + 2 < fields.length; at += 3) renames.set(fields[at + 1] ?? "", fields[at + 2] ?? "");
  return renames;
}

/** Returns those of the commits that the repository has. */
export async function commitsHere(root: string, commits: readonly string[]): Promise<ReadonlySet<string>> {
  if (commits.length === 0) return new Set();
  const answer = await askGit(root, { args: ["cat-file", "--batch-check"], input: commits.join("\n").concat("\n") });
  if ("failure" in answer) return new Set();
  return new Set(answer.output.split("\n").flatMap((line) => /^([0-9a-f]+) commit /u.exec(line)?.[1] ?? []));
}
