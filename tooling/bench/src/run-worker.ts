import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Tasks } from "./worker.ts";

const WORKER = fileURLToPath(new URL("./worker.ts", import.meta.url));

type Input<Name extends keyof Tasks> = Parameters<Tasks[Name]>[0];
type Result<Name extends keyof Tasks> = Awaited<ReturnType<Tasks[Name]>>;

/** Runs one task in a process of its own. */
export function runWorker<Name extends keyof Tasks>(name: Name, input: Input<Name>): Promise<Result<Name>> {
  return new Worker(name, input).result;
}

/** A task that waits to be told when to begin, so that several begin together. */
export class Worker<Name extends keyof Tasks> {
  readonly ready: Promise<void>;
  readonly result: Promise<Result<Name>>;
  readonly #child: ChildProcess;

  constructor(name: Name, input: Input<Name>) {
    this.#child = fork(WORKER, [name, JSON.stringify(input)], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
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
    // Whoever waits for the result hears of a failure there.
    this.ready.catch(() => {});
  }

  begin(): void {
    this.#child.send("begin");
  }
}
