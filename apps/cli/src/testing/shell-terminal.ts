import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";

/** Program that runs another one in a terminal. The one of Linux takes the command as an option. */
export const TERMINAL = "/usr/bin/script";

const PATIENCE_MS = 60_000;
/** Ctrl-U: every shell then clears the line, after processing the keys before. */
const FORGET_LINE = "\u0015";

/** Simulates a person at a shell in a terminal. */
export class ShellTerminal implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  #shown = "";

  /** @param command starts the shell, with a prompt that contains `ready>`. */
  constructor(command: string, options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }) {
    this.#child = spawn(TERMINAL, ["-qec", `stty cols 150 rows 50; exec ${command}`, "/dev/null"], options);
    this.#child.stdout.on("data", (chunk: Buffer) => {
      this.#shown += chunk.toString();
    });
    // The shell may end before it has read all input.
    this.#child.stdin.on("error", () => {});
  }

  /** Resolves when the shell accepts commands. */
  async isReady(): Promise<void> {
    await this.#until(/ready>/u);
  }

  /** Types in a fresh line, and resolves to the output once it matches. */
  async type(keys: string, expected: RegExp): Promise<string> {
    this.#shown = "";
    this.#child.stdin.write(`${FORGET_LINE}${keys}`);
    return this.#until(expected);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.kill("SIGKILL");
    await ended;
  }

  async #until(expected: RegExp): Promise<string> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const shown = stripVTControlCharacters(this.#shown);
      if (expected.test(shown)) return shown;
      if (Date.now() > deadline) throw new Error(`The shell did not show ${String(expected)}, but: ${shown}`);
      await setTimeout(20);
    }
  }
}
