import process from "node:process";
import { Readable, Writable } from "node:stream";
import { setOwnName } from "@workrail/process";
import { runCli } from "../run-cli.ts";
import type { Outcome } from "./outcome.ts";

interface Surroundings {
  readonly launcher: string;
  readonly input: string | Uint8Array;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Makes the outputs terminals of this width. */
  readonly columns?: number | undefined;
  /** Makes the terminals have colours. */
  readonly hasColours?: boolean | undefined;
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command from its sources in the process of the test, in a tenth of the time of a process. The command finds its own surroundings
 * in `process`: working directory, environment, arguments, streams, exit code and umask. They are put back afterwards, so commands that a
 * test starts together run one after another.
 */
export function runHere(args: readonly string[], surroundings: Surroundings): Promise<Outcome> {
  const outcome = last.then(() => runNow(args, surroundings));
  last = outcome.catch(() => {});
  return outcome;
}

async function runNow(args: readonly string[], { launcher, input, cwd, env, ...terminal }: Surroundings): Promise<Outcome> {
  const screen: Buffer[] = [];
  const [stdout, stderr] = [new Collector(terminal, screen), new Collector(terminal, screen)];
  const before = { cwd: process.cwd(), env: { ...process.env }, argv: process.argv, exitCode: process.exitCode, umask: process.umask() };
  const streams = replaceStreams({ stdin: inputOf(input), stdout, stderr });
  try {
    process.chdir(cwd);
    replaceEnvironment(env);
    process.argv = [process.execPath, launcher, ...args];
    process.exitCode = undefined;
    await runCli("workrail", args);
    const outcome = { code: exitCode(), stdout: stdout.text, stderr: stderr.text };
    return terminal.columns === undefined ? outcome : { ...outcome, screen: textOf(screen) };
  } finally {
    streams.putBack();
    process.exitCode = before.exitCode;
    process.argv = before.argv;
    process.umask(before.umask);
    replaceEnvironment(before.env);
    process.chdir(before.cwd);
    setOwnName("workrail", { env: {}, script: undefined });
  }
}

function exitCode(): number {
  return Number(process.exitCode ?? 0);
}

class Collector extends Writable {
  readonly columns: number | undefined;
  readonly isTTY: true | undefined;
  readonly #hasColours: boolean;
  readonly #screen: Buffer[];
  readonly #chunks: Buffer[] = [];

  /**
   * @param screen gets a copy of every chunk.
   */
  constructor({ columns, hasColours = false }: Pick<Surroundings, "columns" | "hasColours">, screen: Buffer[]) {
    super();
    this.#screen = screen;
    this.#hasColours = hasColours;
    this.columns = columns;
    this.isTTY = columns === undefined ? undefined : true;
  }

  hasColors(): boolean {
    return this.#hasColours;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    this.#screen.push(chunk);
    done();
  }

  get text(): string {
    return textOf(this.#chunks);
  }
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString();
}

function inputOf(input: string | Uint8Array): Readable {
  const stream = new Readable({ read: () => {} });
  stream.push(input);
  stream.push(null);
  return stream;
}

/** Changes the variables in place: the system's own functions, such as the one that finds the home directory, read them too. */
function replaceEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  Object.assign(process.env, env);
}

function replaceStreams(streams: Readonly<Record<"stdin" | "stdout" | "stderr", Readable | Writable>>): { putBack(): void } {
  const names = ["stdin", "stdout", "stderr"] as const;
  const before = Object.fromEntries(names.map((name) => [name, Object.getOwnPropertyDescriptor(process, name) ?? {}]));
  for (const name of names) Object.defineProperty(process, name, { configurable: true, enumerable: true, value: streams[name] });
  return { putBack: () => void Object.defineProperties(process, before) };
}
