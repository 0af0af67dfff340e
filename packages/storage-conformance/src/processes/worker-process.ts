import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { StorageHarness } from "../harness.ts";
import type { Assignment, Message, Saved, Task } from "./task.ts";

/** True in the repository, where the worker runs from source; the published worker is compiled. */
const isSource = import.meta.url.endsWith(".ts");
const WORKER = fileURLToPath(new URL(isSource ? "./worker.ts" : "./worker.js", import.meta.url));
const NODE_ARGUMENTS = isSource ? ["--conditions=@workrail/source"] : [];

/** A child process that works on a store. */
export class WorkerProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #messages: Message[] = [];
  readonly #exited: Promise<void>;
  #complaints = "";
  #hasExited = false;
  #onProgress: () => void = () => undefined;

  constructor(harness: StorageHarness, place: string, task: Task) {
    if (harness.module === undefined) throw new Error("The harness names no module.");
    const assignment: Assignment = { module: harness.module, place, task };
    this.#child = spawn(process.execPath, [...NODE_ARGUMENTS, WORKER, JSON.stringify(assignment)], { stdio: ["pipe", "pipe", "pipe"] });
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#complaints += text;
    });
    // A killed process may leave an incomplete line, which readline emits at the end. It does not count as a message.
    createInterface(this.#child.stdout).on("line", (line) => {
      if (line.endsWith("}")) this.#messages.push(JSON.parse(line) as Message);
      this.#onProgress();
    });
    this.#exited = new Promise((resolve) => {
      this.#child.once("close", () => {
        this.#hasExited = true;
        this.#onProgress();
        resolve();
      });
    });
  }

  get saved(): readonly Saved[] {
    return this.#messages.filter((message) => message.told === "saved");
  }

  /** Resolves when the process has sent `count` messages. Rejects when it ends before. */
  async told(count: number): Promise<void> {
    while (this.#messages.length < count) {
      if (this.#hasExited) throw new Error(`The worker ended too early: ${this.#complaints}`);
      await new Promise<void>((resolve) => {
        this.#onProgress = resolve;
      });
    }
  }

  /** Closes the input and resolves when the process ends. Rejects unless it exits with 0. */
  async done(): Promise<void> {
    this.#child.stdin.end();
    await this.#exited;
    if (this.#child.exitCode !== 0) {
      throw new Error(`The worker ended with ${this.#child.exitCode ?? this.#child.signalCode}: ${this.#complaints}`);
    }
  }

  /** Kills the process with SIGKILL. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
  }
}
