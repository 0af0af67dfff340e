import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const REPORT_CPU = fileURLToPath(new URL("./report-cpu.cjs", import.meta.url));

export interface OneRun {
  /** Arguments of Node: the program and its arguments. */
  readonly args: readonly string[];
  /** Text for standard input. */
  readonly input: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /**
   * The kind of standard input. Shells and hosts written in Rust or Go give a pipe; Node gives its child processes a socket, which needs streams.
   * A system without named pipes gets the socket of Node.
   */
  readonly stdin: "pipe" | "socket";
}

export interface Ended {
  /** Milliseconds from the start of the process to the end of its output. */
  readonly ms: number;
  readonly output: string;
  /** Milliseconds of processor time, if measured. */
  readonly cpuMs: number;
}

/** Runs a program as a host runs its hooks. @param withCpu measures processor time, which costs about a millisecond. */
export async function runOnce(run: OneRun, withCpu = false): Promise<Ended> {
  const pipe = run.stdin === "pipe" ? filledPipe(run.input) : undefined;
  const flags = withCpu ? ["--require", REPORT_CPU] : [];
  const started = performance.now();
  const child = spawn(process.execPath, [...flags, ...run.args], {
    cwd: run.cwd,
    env: run.env,
    stdio: [pipe ?? "pipe", "pipe", "inherit", withCpu ? "pipe" : "ignore"],
  });
  child.stdin?.end(run.input);
  const texts = { output: "", cpu: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (texts.output += text));
  child.stdio[3]?.on("data", (text: Buffer) => (texts.cpu += text.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  const ms = performance.now() - started;
  if (pipe !== undefined) fs.closeSync(pipe);
  if (code !== 0) throw new Error(`${run.args.join(" ")} ended with ${code}.`);
  return { ms, output: texts.output, cpuMs: Number(texts.cpu) };
}

/** A pipe that holds a text and then ends; `undefined` when the system has no named pipes. */
function filledPipe(text: string): number | undefined {
  if (process.platform === "win32") return undefined;
  pipeName ??= makePipe();
  // Opened for reading and writing, so that the opening does not block.
  const both = fs.openSync(pipeName, fs.constants.O_RDWR);
  const reading = fs.openSync(pipeName, fs.constants.O_RDONLY);
  fs.writeSync(both, text);
  fs.closeSync(both);
  return reading;
}

let pipeName: string | undefined;

function makePipe(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "workrail-bench-"));
  process.once("exit", () => fs.rmSync(folder, { recursive: true, force: true }));
  const name = path.join(folder, "stdin");
  execFileSync("mkfifo", [name]);
  return name;
}
