import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { CLI } from "../suites/programs.ts";
import { type Ended, type OneRun, runOnce } from "./run-once.ts";

/** A person's machine with one repository, in which Claude Code works with the hooks of Workrail. */
export class HookScene {
  readonly project: string;
  readonly sessionId: string = randomUUID();
  readonly #home: string;

  constructor(folder: string) {
    this.project = path.join(folder, "project");
    this.#home = path.join(folder, "home");
    for (const made of [this.project, this.#home]) fs.mkdirSync(made, { recursive: true });
    this.#git("init", "-q", "-b", "main");
    this.#git("commit", "-q", "--allow-empty", "-m", "Start");
  }

  #git(...args: readonly string[]): void {
    const author = ["-c", "user.name=Dev", "-c", "user.email=dev@example.com", "-c", "commit.gpgsign=false"];
    execFileSync("git", [...author, ...args], { cwd: this.project, stdio: "ignore" });
  }

  /** A call of the command line, with the JSON of the host. */
  call(args: readonly string[], dataDir: string, payload: object = {}): OneRun {
    const input = JSON.stringify({ session_id: this.sessionId, cwd: this.project, ...payload });
    return { ...this.bare([CLI, ...args]), input, env: { ...this.#environment(), WORKRAIL_DATA_DIR: dataDir } };
  }

  hook(event: string, dataDir: string, payload: object): OneRun {
    return this.call(["hook", event, "--host", "claude-code"], dataDir, payload);
  }

  bare(args: readonly string[]): OneRun {
    return { args, input: "{}", env: this.#environment(), cwd: this.project, stdin: "pipe" };
  }

  #environment(): OneRun["env"] {
    const { PATH, NODE_COMPILE_CACHE, TMPDIR } = process.env;
    return { PATH, NODE_COMPILE_CACHE, TMPDIR, HOME: this.#home, USERPROFILE: this.#home };
  }
}

/** Runs a hook to prepare the measurement. */
export async function prepare(run: OneRun): Promise<Ended> {
  return runOnce({ ...run, args: [...run.args, "--strict"] });
}

/** Sets the last save of each session to 15 minutes ago, so that the next `stop` saves. */
export function ageSaves(dataDir: string): void {
  const sessions = path.join(dataDir, "hooks", "sessions");
  for (const name of fs.readdirSync(sessions, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".json")) continue;
    const file = path.join(sessions, name);
    const state = JSON.parse(fs.readFileSync(file, "utf8")) as { saved?: { at: string } };
    if (state.saved !== undefined) state.saved.at = new Date(Date.now() - 15 * 60 * 1_000).toISOString();
    fs.writeFileSync(file, JSON.stringify(state));
  }
}
