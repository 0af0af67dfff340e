import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** Environment of git without the user's settings, so that tests do not depend on who runs them. */
const ENV = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^GIT_/iu.test(name))),
  GIT_CONFIG_GLOBAL: os.devNull,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

/** Runs git as a person would. */
export function git(directory: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: directory, env: ENV, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

/** Why tests with repositories are skipped; `undefined` when git is installed. */
export const noGit: string | undefined = (() => {
  try {
    git(os.tmpdir(), "--version");
    return undefined;
  } catch {
    return "there is no git on this machine";
  }
})();

/** Creates a directory, with its path resolved as a working directory is reported. */
export function freshDirectory(): string {
  return fs.realpathSync.native(fs.mkdtempSync(path.join(os.tmpdir(), "workrail-repositories-")));
}

/** Creates a repository with one commit of the files. */
export function makeRepository(directory: string, files: Readonly<Record<string, string>> = { "README.md": "# It\n" }): string {
  fs.mkdirSync(directory, { recursive: true });
  git(directory, "init", "-q", "-b", "main");
  writeFiles(directory, files);
  return commitAll(directory, "first");
}

export function writeFiles(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
    fs.writeFileSync(path.join(directory, name), text);
  }
}

/** @returns the commit */
export function commitAll(directory: string, message: string): string {
  git(directory, "add", "-A");
  git(directory, "commit", "-q", "--allow-empty", "-m", message);
  return git(directory, "rev-parse", "HEAD");
}
