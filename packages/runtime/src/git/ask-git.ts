import os from "node:os";
import path from "node:path";

/** Why git gave no answer. `refused`: git failed, such as for a commit that it does not have. */
export type GitFailure = "no-git" | "timeout" | "refused";

export type GitAnswer = { readonly output: string } | { readonly failure: GitFailure };

export interface GitQuestion {
  /** A read-only git command and its arguments. No argument may come from outside, unless git cannot take it for an option. */
  readonly args: readonly string[];
  /** Standard input. Default: empty. */
  readonly input?: string | undefined;
}

/** Timeout of a command. */
const PATIENCE_MS = 2_000;
/** Time in which a killed process normally exits. */
const LAST_MOMENT_MS = 250;
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Options of every command. A repository's configuration can name programs to run and remotes to fetch from. Our commands need none, so all
 * are disabled.
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

/** Runs git on a repository: without a shell, hooks, a pager, prompts, locks or the network, and with a timeout. Never rejects. */
export async function askGit(root: string, { args, input }: GitQuestion): Promise<GitAnswer> {
  // Loaded on demand: takes milliseconds that other programs save.
  const { execFile } = await import("node:child_process");
  return new Promise((resolve) => {
    // A process blocked in the kernel does not exit on any signal, so the timer gives up without it.
    const timer = setTimeout(() => resolve({ failure: "timeout" }), PATIENCE_MS + LAST_MOMENT_MS);
    const options = {
      // Not the repository: Windows searches the working directory for programs first.
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
    // Ignore EPIPE: a command that ends early reports its own error.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input ?? "");
  });
}

function failureOf(error: Error & { readonly code?: unknown; readonly killed?: boolean }): GitFailure {
  if (error.code === "ENOENT" || error.code === "EACCES") return "no-git";
  return error.killed === true ? "timeout" : "refused";
}

/** Environment of git: the user's, without `GIT_*` variables meant for another call of git. */
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

/** Drops relative entries of PATH, which depend on the working directory. */
function absoluteOf(list = ""): string {
  return list
    .split(path.delimiter)
    .filter((each) => path.isAbsolute(each))
    .join(path.delimiter);
}
