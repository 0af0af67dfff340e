import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { environmentIn } from "./run-program.ts";

const RUNNER = fileURLToPath(new URL("programs/repeat-program.ts", import.meta.url));

/** Outputs of a run. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command line of another project in one process, which runs it many times. */
export class RepeatedProgram {
  readonly #child;

  /** @param command the module that exports `runCli`, and what stands before the arguments of each run. */
  constructor(command: readonly string[], home: string, env: Readonly<Record<string, string>> = {}) {
    const stdio = ["ignore", "pipe", "inherit", "ipc"] as const;
    this.#child = fork(RUNNER, command, { env: { ...environmentIn(home), ...env }, cwd: home, stdio: [...stdio] });
  }

  /** Runs it once, after the previous run. */
  run(args: readonly string[]): Promise<Ran> {
    return new Promise((resolve, reject) => {
      const fail = (): void => reject(new Error("The program ended."));
      this.#child.once("exit", fail).once("message", (ran) => {
        this.#child.off("exit", fail);
        resolve(ran as Ran);
      });
      this.#child.send(args);
    });
  }

  async close(): Promise<void> {
    if (!this.#child.connected) return;
    this.#child.disconnect();
    await once(this.#child, "exit");
  }
}
