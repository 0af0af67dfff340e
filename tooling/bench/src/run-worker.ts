import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Tasks } from "./worker.ts";

const WORKER = fileURLToPath(new URL("./worker.ts", import.meta.url));

type Input<Name extends keyof Tasks> = Parameters<Tasks[Name]>[0];
type Result<Name extends keyof Tasks> = Awaited<ReturnType<Tasks[Name]>>;

/**
 * Runs one task in a separate process.
 *
 * @param flags flags for Node, such as `--max-semi-space-size=8`. Default: only those of this process.
 */
export function runWorker<Name extends keyof Tasks>(name: Name, input: Input<Name>, flags?: readonly string[]): Promise<Result<Name>> {
  return new Worker(name, input, flags).result;
}

/** A task that waits for a signal, so that several tasks start together. */
export class Worker<Name extends keyof Tasks> {
  readonly ready: Promise<void>;
  readonly result: Promise<Result<Name>>;
  readonly #child: ChildProcess;

  constructor(name: Name, input: Input<Name>, flags: readonly string[] = []) {
    const execArgv = [...process.execArgv, ...flags];
    this.#child = fork(WORKER, [name, JSON.stringify(input)], { execArgv, stdio: ["ignore", "inherit", "inherit", "ipc"] });
    const ready = Promise.withResolvers<void>();
    const result = Promise.withResolvers<Result<Name>>();
    this.#child.on("message", (message: "ready" | { readonly result: Result<Name> }) => {
      if (message === "ready") ready.resolve();
      else result.resolve(message.result);
    });
    this.#child.on("error", result.reject);
    this.#child.on("exit", (code, signal) => {
      const failed = new Error(`The benchmark's child process for ${name} ended with ${signal ?? code} before it had a result.`);
      ready.reject(failed);
      result.reject(failed);
    });
    this.ready = ready.promise;
    this.result = result.promise;
    // A failure also rejects the result.
    this.ready.catch(() => {});
  }

  begin(): void {
    this.#child.send("begin");
  }
}
