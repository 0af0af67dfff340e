import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { StorageHarness } from "../harness.ts";
import type { Assignment, Message, Saved, Task } from "./task.ts";

/** In the repository the worker is a source, run as it is; published, it is compiled. */
const isSource = import.meta.url.endsWith(".ts");
const WORKER = fileURLToPath(new URL(isSource ? "./worker.ts" : "./worker.js", import.meta.url));
const NODE_ARGUMENTS = isSource ? ["--conditions=@workrail/source"] : [];

/** A child process at work on a store. */
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
    // Half a line is what a killed process may leave: it was not told, and readline gives it at the end.
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

  /** Resolves when it has told this much. Rejects when it ends before. */
  async told(count: number): Promise<void> {
    while (this.#messages.length < count) {
      if (this.#hasExited) throw new Error(`The worker ended too early: ${this.#complaints}`);
      await new Promise<void>((resolve) => {
        this.#onProgress = resolve;
      });
    }
  }

  /** Resolves when it came to its end; rejects when that was not a good one. */
  async done(): Promise<void> {
    this.#child.stdin.end();
    await this.#exited;
    if (this.#child.exitCode !== 0) {
      throw new Error(`The worker ended with ${this.#child.exitCode ?? this.#child.signalCode}: ${this.#complaints}`);
    }
  }

  /** Ends it as a power cut would, without a last word. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
  }
}
