import { type ChildProcess, spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { delimiter, dirname, join, sep } from "node:path";
import { createInterface } from "node:readline";
import { text as readText } from "node:stream/consumers";
import type { Places, Start } from "./programs/host-program.ts";
import { HOST_PROGRAMS } from "./programs/host-programs.ts";
import type { HostName } from "./scenario.ts";
import { writeNewFile } from "./write-new-file.ts";

/** One conversation, or the next part of one. */
export interface HostRun extends Places {
  readonly host: HostName;
  /** Folder in which `install-hosts.ts` put the hosts. */
  readonly hostsFolder: string;
  readonly prompts: readonly string[];
  /** Continues the latest conversation of the repository instead of starting a new one. */
  readonly continues?: boolean;
  /** Kills the host and its child processes by SIGKILL when this resolves. */
  readonly killWhen?: Promise<void>;
  readonly environment?: Readonly<Record<string, string>>;
}

/** End of one process of a host. */
export interface HostExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a host without a terminal, with one process or one for each prompt. Stops after a process that was killed. */
export async function runHost(run: HostRun): Promise<readonly HostExit[]> {
  const program = HOST_PROGRAMS[run.host];
  await program.configure(run);
  await keepPathInLoginShells(run.home);
  const exits: HostExit[] = [];
  for (const start of program.starts(run.prompts, { continues: run.continues ?? false })) {
    const exit = await runProcess(run, start);
    exits.push(exit);
    if (exit.signal !== null) break;
  }
  return exits;
}

/** A host's transcripts below a home directory, oldest name first. */
export function hostTranscripts(host: HostName, home: string): Promise<readonly string[]> {
  const { folder, isOne } = HOST_PROGRAMS[host].transcripts;
  return filesBelow(join(home, folder), isOne);
}

/** The transcripts of sub-agents of all conversations below a home directory. */
export function subagentTranscripts(host: HostName, home: string): Promise<readonly string[]> {
  const { folder, isOfSubagent } = HOST_PROGRAMS[host].transcripts;
  return filesBelow(join(home, folder), isOfSubagent ?? (() => false));
}

async function filesBelow(root: string, isWanted: (path: string) => boolean): Promise<readonly string[]> {
  const found = await readdir(root, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return [];
  });
  return found
    .filter((path) => isWanted(path.split(sep).join("/")))
    .sort()
    .map((path) => join(root, path));
}

/** The environment of a host: from the caller only the variables that programs need. */
export function hostEnvironment(run: HostRun): NodeJS.ProcessEnv {
  const { LANG = "C.UTF-8", PYENV_ROOT } = process.env;
  return {
    PATH: programPath(),
    LANG,
    ...(PYENV_ROOT === undefined ? {} : { PYENV_ROOT }),
    HOME: run.home,
    USERPROFILE: run.home,
    SHELL: "/bin/bash",
    TERM: "xterm-256color",
    NO_COLOR: "1",
    NPM_CONFIG_UPDATE_NOTIFIER: "false",
    ...HOST_PROGRAMS[run.host].environment(run),
    ...run.environment,
  };
}

/** Codex runs commands in login shells, whose profile would put another Node first. */
async function keepPathInLoginShells(home: string): Promise<void> {
  await writeNewFile(join(home, ".bash_profile"), `export PATH='${programPath()}'\n`);
}

function programPath(): string {
  return [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter);
}

/** The path of a host's program. */
export function hostBinary(host: HostName, hostsFolder: string): string {
  return join(hostsFolder, "node_modules", ".bin", HOST_PROGRAMS[host].binary);
}

async function runProcess(run: HostRun, start: Start): Promise<HostExit> {
  const child = spawn(hostBinary(run.host, run.hostsFolder), start.args, {
    cwd: run.project,
    env: hostEnvironment(run),
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const exited = new Promise<Pick<HostExit, "exitCode" | "signal">>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode, signal) => resolve({ exitCode, signal }));
  });
  void run.killWhen?.then(() => killGroup(child));
  const [stdout, stderr, exit] = await Promise.all([converse(child, start), readText(child.stderr), exited]);
  return { ...exit, stdout, stderr };
}

/** Sends the lines of input one after the other, and returns the whole output. */
async function converse(
  child: ChildProcess & { stdin: NodeJS.WritableStream; stdout: NodeJS.ReadableStream },
  { input }: Start,
): Promise<string> {
  const isAnswered = input?.isAnswered;
  if (input === undefined || isAnswered === undefined) {
    child.stdin.end(input?.lines.join("\n"));
    return readText(child.stdout);
  }
  const waiting = [...input.lines];
  const sendNext = (): void => {
    const line = waiting.shift();
    if (line === undefined) child.stdin.end();
    else child.stdin.write(`${line}\n`);
  };
  sendNext();
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (isAnswered(line)) sendNext();
  }
  return lines.join("\n");
}

/** The process leads its own group, so that commands it started end with it. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid, "SIGKILL");
}
