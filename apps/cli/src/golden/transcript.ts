import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { copyFolder } from "../testing/copy-folder.ts";
import type { Outcome } from "../testing/outcome.ts";
import type { CliUnderTest } from "../testing/use-cli.ts";
import type { GoldenCase } from "./golden-case.ts";
import { normalize, readable } from "./normalize.ts";

/** True if the system has the `script` of Linux, which runs a command in a terminal. */
export const HAS_TERMINAL: boolean = process.platform === "linux" && existsSync("/usr/bin/script");

const WIDTH = 100;

/** Environment of a case. */
export interface GoldenHome {
  readonly cli: CliUnderTest;
  /** Folder with the initial content of `cli.folder`. */
  readonly prepared: string;
  /** Checks the output of a command with `--json`. */
  readonly checkJson: (command: string, json: unknown) => void;
  /** True when every terminal is real. When false, the output is imitated for cases where nothing is typed. */
  readonly isTerminalReal: boolean;
}

/** Runs a case for people and with `--json`, each in a fresh copy of the prepared folder, and returns the outputs. */
export async function transcribe(home: GoldenHome, command: string, given: GoldenCase): Promise<string> {
  const args = [...command.split(" "), ...(given.args ?? [])];
  const text = await forPeople(home, args, given);
  if (given.withoutJson !== undefined) return text;
  const { shown, json } = await asJson(home, [...args, "--json"], given);
  if (json !== undefined) home.checkJson(command, json);
  return `${text}\n${shown}`;
}

/** Runs a case on a terminal where a person types, and returns the visible output. */
export async function transcribeTerminal(home: GoldenHome, command: string, given: GoldenCase): Promise<string> {
  await begin(home, given);
  const args = [...command.split(" "), ...(given.args ?? [])];
  const { typed = "" } = given;
  const { code, stdout, screen = stdout } = await (home.isTerminalReal || typed !== "" ? onTerminal : asOnTerminal)(home.cli, args, given);
  const shown = normalize(readable(screen), home.cli.folder);
  return `${line(args, given)}${typed === "" ? "" : ` # and types ${typed}`}\n${shown}exit code ${code}\n`;
}

async function forPeople(home: GoldenHome, args: readonly string[], given: GoldenCase): Promise<string> {
  await begin(home, given);
  const outcome = await home.cli.run(args, { input: given.input ?? "", env: { COLUMNS: String(WIDTH), ...given.env } });
  return told(home, line(args, given), outcome);
}

interface JsonRun {
  readonly shown: string;
  /** Absent when nothing is printed. */
  readonly json?: unknown;
}

async function asJson(home: GoldenHome, args: readonly string[], given: GoldenCase): Promise<JsonRun> {
  await begin(home, given);
  const outcome = await home.cli.run(args, { input: given.input ?? "", env: given.env ?? {} });
  const called = line(args, given);
  if (outcome.stdout === "") return { shown: told(home, called, outcome) };
  const json = JSON.parse(outcome.stdout) as unknown;
  return { shown: told(home, called, { ...outcome, stdout: `${JSON.stringify(json, undefined, 2)}\n` }), json };
}

/** Runs a command in a real terminal, in a process of its own. */
function onTerminal(cli: CliUnderTest, args: readonly string[], { typed = "", env: given = {} }: GoldenCase): Promise<Outcome> {
  // The case's PATH applies only to the command: the shell must find its own programs.
  const { PATH, ...env } = given;
  const path = PATH === undefined ? "" : `PATH=${quoted(PATH)} `;
  // On a build server, where `CI` is set, Node disables colours.
  const run = `stty cols ${WIDTH}; env -u CI ${path}${[process.execPath, cli.launcher, ...args].map(quoted).join(" ")}`;
  const input = typed === "" ? "" : `echo ${quoted(typed)} | `;
  return cli.shell(`${input}script -qec ${quoted(run)} --echo never /dev/null`, { TERM: "xterm-256color", ...env });
}

/** Runs a command in the process of the test, with outputs that are terminals to it. */
function asOnTerminal(cli: CliUnderTest, args: readonly string[], { env = {} }: GoldenCase): Promise<Outcome> {
  return cli.run(args, { env: { TERM: "xterm-256color", ...env }, columns: WIDTH, hasColours: true });
}

/** Restores the prepared folder. */
async function begin({ cli, prepared }: GoldenHome, { after = [], files = {}, env = {} }: GoldenCase): Promise<void> {
  rmSync(cli.folder, { recursive: true, force: true });
  copyFolder(prepared, cli.folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cli.folder, name)), { recursive: true });
    writeFileSync(join(cli.folder, name), content, { mode: 0o600 });
  }
  for (const args of after) await cli.output(args, { env });
}

function told({ cli }: GoldenHome, called: string, { code, stderr, stdout }: Outcome): string {
  const said = stderr === "" ? "" : `--- standard error\n${stderr}`;
  return normalize(`${called}\n${ended(stdout)}${said}exit code ${code}\n`, cli.folder);
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function line(args: readonly string[], { input }: GoldenCase): string {
  return `$ ${input === undefined ? "" : `echo ${quoted(input)} | `}workrail ${args.map(quoted).join(" ")}`;
}

function quoted(text: string): string {
  return /^[\w./:=<>@,-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
