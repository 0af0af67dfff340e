import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { appendFileSync } from "node:fs";
import process from "node:process";
import { bundleFixture } from "./bundle-fixture.ts";

/** A program with its arguments. */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
}

/** Starts the fixture server. */
export const fixtureCommand: Command = { command: process.execPath, args: [await bundleFixture()] };

const { NODE_COMPILE_CACHE } = process.env;

/** Variables of a program: the libraries' transports pass on few by themselves, and compiling takes longest. */
export const COMPILED: Readonly<Record<string, string>> = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };

export interface Answer {
  readonly jsonrpc: string;
  readonly id: string | number | null;
  readonly result?: {
    readonly content?: readonly [{ readonly type: string; readonly text: string }];
    readonly structuredContent?: Readonly<Record<string, unknown>>;
    readonly isError?: boolean;
    readonly _meta?: Readonly<Record<string, unknown>>;
    readonly [key: string]: unknown;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

/** A client that writes arbitrary bytes to a server, by default the fixture server, and reads its answers line by line. */
export class RawClient {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #answers: Answer[] = [];
  readonly #waiters = new Set<() => void>();
  #rest: string[] = [];
  #stderr = "";
  #exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null } | undefined;

  constructor(environment: NodeJS.ProcessEnv = {}, { command, args, cwd }: Command = fixtureCommand) {
    this.#child = spawn(command, args, { stdio: "pipe", cwd, env: { ...process.env, ...environment } });
    this.#child.stdout.setEncoding("utf8").on("data", (chunk: string) => this.#read(chunk));
    this.#child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      this.#stderr += chunk;
      this.#wake();
    });
    // Tests that close a pipe on the server do so on purpose.
    this.#child.stdin.on("error", () => {});
    this.#child.on("close", (code, signal) => {
      this.#exit = { code, signal };
      this.#wake();
    });
  }

  get stderr(): string {
    return this.#stderr;
  }

  get answers(): readonly Answer[] {
    return this.#answers;
  }

  /** Resolves when the bytes are handed to the system. */
  async write(bytes: Uint8Array | string): Promise<void> {
    count({ tries: 1 });
    if (!this.#child.stdin.write(bytes)) {
      await once(this.#child.stdin, "drain");
    }
  }

  async request(id: string | number, method: string, params?: unknown): Promise<void> {
    await this.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  }

  /** Calls a tool and waits for the answer. */
  async call(id: string | number, name: string, given?: unknown): Promise<Answer> {
    await this.request(id, "tools/call", { name, arguments: given });
    return this.answer(id);
  }

  async answer(id: string | number | null): Promise<Answer> {
    return this.#until(() => this.#answers.find((answer) => answer.id === id));
  }

  async stderrLine(text: string): Promise<void> {
    await this.#until(() => (this.#stderr.includes(text) ? true : undefined));
  }

  async exit(): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }> {
    return this.#until(() => this.#exit, true);
  }

  /** Empties the answers and the standard error so far, so that ids can be used again. */
  forget(): void {
    this.#answers.length = 0;
    this.#stderr = "";
  }

  endInput(): void {
    this.#child.stdin.end();
  }

  /** Closes the reading end of the server's stdout. */
  closeOutput(): void {
    this.#child.stdout.destroy();
  }

  /** Closes the reading end of the server's stderr. */
  closeErrors(): void {
    this.#child.stderr.destroy();
  }

  /** Stops reading the server's stderr. */
  ignoreErrors(): void {
    this.#child.stderr.pause();
  }

  pauseOutput(): void {
    this.#child.stdout.pause();
  }

  resumeOutput(): void {
    this.#child.stdout.resume();
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  #read(chunk: string): void {
    const [first = "", ...others] = chunk.split("\n");
    this.#rest.push(first);
    for (const start of others) {
      const answer = JSON.parse(this.#rest.join("")) as Answer;
      this.#answers.push(answer);
      if (answer.result !== undefined && answer.result.isError !== true) count({ acknowledged: 1 });
      this.#rest = [start];
    }
    this.#wake();
  }

  #wake(): void {
    for (const waiter of this.#waiters) {
      waiter();
    }
  }

  async #until<T>(look: () => T | undefined, isExitExpected = false): Promise<T> {
    return new Promise((resolve, reject) => {
      const attempt = (): void => {
        const found = look();
        if (found === undefined && (this.#exit === undefined || isExitExpected)) {
          return;
        }
        this.#waiters.delete(attempt);
        if (found === undefined) {
          count({ dead: 1 });
          reject(new Error(`The server is gone (${JSON.stringify(this.#exit)}): ${this.#stderr}`));
        } else {
          resolve(found);
        }
      };
      this.#waiters.add(attempt);
      attempt();
    });
  }
}

/** Counts for the table of `npm run test:faults`. */
function count(counts: { readonly tries?: number; readonly acknowledged?: number; readonly dead?: number }): void {
  const file = process.env["WORKRAIL_FAULT_TALLY"];
  if (file !== undefined && file !== "") appendFileSync(file, `${JSON.stringify(counts)}\n`);
}
