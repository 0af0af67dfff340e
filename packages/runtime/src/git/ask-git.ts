import os from "node:os";
import path from "node:path";

/** Why git gave no answer. `refused`: it did not do what it was asked, as for a commit that it does not have. */
export type GitFailure = "no-git" | "timeout" | "refused";

export type GitAnswer = { readonly output: string } | { readonly failure: GitFailure };

export interface GitQuestion {
  /** A command of git that only reads, and its arguments: none of them may come from outside unless git cannot take it for an option. */
  readonly args: readonly string[];
  /** What it reads from its input. Default: nothing. */
  readonly input?: string | undefined;
}

/** The longest that an answer is waited for. */
const PATIENCE_MS = 2_000;
/** A process that was killed is gone in this time. */
const LAST_MOMENT_MS = 250;
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Before any command. A repository's own configuration can name programs for git to run, and remotes to fetch from: none of
 * them is needed for what is asked here, so none may be.
 */
const CAREFULLY = [
  "--no-pager",
  "--no-optional-locks",
  "--no-replace-objects",
  "--literal-pathspecs",
  ...[
    "core.fsmonitor=false",
    `core.hooksPath=${os.devNull}`,
    `core.attributesFile=${os.devNull}`,
    "protocol.allow=never",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
  ].flatMap((setting) => ["-c", setting]),
];

/** Asks git about a repository: without a shell, a hook, a pager, a prompt, a lock or the network, and not for long. Never rejects. */
export async function askGit(root: string, { args, input }: GitQuestion): Promise<GitAnswer> {
  // Loaded in a few milliseconds, which programs that ask nothing need not take.
  const { execFile } = await import("node:child_process");
  return new Promise((resolve) => {
    // A process that hangs in the system ends when that lets it, whatever signal it was sent.
    const timer = setTimeout(() => resolve({ failure: "timeout" }), PATIENCE_MS + LAST_MOMENT_MS);
    const options = {
      // Not the repository: Windows looks for programs in the working directory first.
      cwd: path.dirname(process.execPath),
      env: environment(process.env),
      encoding: "utf8",
      timeout: PATIENCE_MS,
      killSignal: "SIGKILL",
      maxBuffer: MOST_BYTES,
      windowsHide: true,
      shell: false,
    } as const;
    const child = execFile("git", [...CAREFULLY, "-C", root, ...args], options, (error, output) => {
      clearTimeout(timer);
      resolve(error === null ? { output } : { failure: failureOf(error) });
    });
    // One that ends before it read all of it says why itself.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input ?? "");
  });
}

function failureOf(error: Error & { readonly code?: unknown; readonly killed?: boolean }): GitFailure {
  if (error.code === "ENOENT" || error.code === "EACCES") return "no-git";
  return error.killed === true ? "timeout" : "refused";
}

/** The user's, for that is whose repositories and git these are; but nothing that is meant for another call of git. */
function environment(given: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(given).filter(([name]) => !/^GIT_/iu.test(name));
  const own = kept.map(([name, value]) => [name, /^PATH$/iu.test(name) ? absoluteOf(value) : value]);
  return {
    ...Object.fromEntries(own),
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "",
    LC_ALL: "C",
  };
}

/** A relative entry would be looked up wherever one happens to be. */
function absoluteOf(list = ""): string {
  return list
    .split(path.delimiter)
    .filter((each) => path.isAbsolute(each))
    .join(path.delimiter);
}
