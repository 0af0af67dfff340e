import { type ChildProcess, spawn } from "node:child_process";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { bundleProgram } from "@workrail/programs";
import type { SqliteDriverName } from "../src/sqlite-driver.ts";
import type { Task } from "./child-task.ts";

const CHILD = await bundleProgram(new URL("./child.ts", import.meta.url));

export interface ChildOptions {
  readonly uid?: number;
  /** SQLite driver of the child. Default: the driver of this process. */
  readonly driver?: SqliteDriverName;
  /** Name of an unsuitable file system that the child assumes. */
  readonly fileSystem?: string;
  /** Command that runs the child; Node and its arguments are appended. */
  readonly through?: readonly string[];
}

/** Another process that works on a store and reports each step in a line. */
export class Child {
  readonly lines: string[] = [];
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;
  #complaints = "";
  #isEnded = false;
  #onProgress: (() => void)[] = [];

  static start(task: Task, { uid, driver, fileSystem, through = [] }: ChildOptions = {}): Child {
    const words = [...through, process.execPath, "--conditions=@workrail/source", CHILD, JSON.stringify(task)];
    // Another user needs another compile cache.
    const cache = uid === undefined ? {} : { NODE_COMPILE_CACHE: path.join(os.tmpdir(), `workrail-test-cache-${uid}`) };
    const env = {
      ...process.env,
      ...cache,
      ...(driver === undefined ? {} : { WORKRAIL_SQLITE_DRIVER: driver }),
      ...(fileSystem === undefined ? {} : { TEST_FILE_SYSTEM: fileSystem }),
    };
    return new Child(
      spawn(words[0] ?? process.execPath, words.slice(1), {
        stdio: ["pipe", "pipe", "pipe"],
        env,
        ...(uid === undefined ? {} : { uid, gid: uid }),
      }),
    );
  }

  private constructor(child: ChildProcess) {
    this.#process = child;
    if (child.stdout === null || child.stderr === null) throw new Error("The child has no pipes.");
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#complaints += text;
    });
    createInterface(child.stdout).on("line", (line) => {
      // The last line of a killed process may be incomplete.
      if (line.endsWith(";")) this.lines.push(line.slice(0, -1));
      this.#progress();
    });
    this.#ended = new Promise((resolve) => {
      child.once("close", () => {
        this.#isEnded = true;
        this.#progress();
        resolve();
      });
    });
  }

  /** Resolves with the line of number `count` when the child has reported it. */
  async told(count: number): Promise<string> {
    for (;;) {
      const line = this.lines[count - 1];
      if (line !== undefined) return line;
      if (this.#isEnded) throw new Error(`The child ended after ${this.lines.length} lines: ${this.#complaints}`);
      await new Promise<void>((resolve) => {
        this.#onProgress.push(resolve);
      });
    }
  }

  /** Closes the child's input and waits for its end. Rejects unless it exits with 0. */
  async done(): Promise<readonly string[]> {
    this.#process.stdin?.end();
    await this.#ended;
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== 0) throw new Error(`The child ended with ${exitCode ?? signalCode}: ${this.#complaints}`);
    return this.lines;
  }

  /** Kills the child with SIGKILL. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#ended;
  }

  #progress(): void {
    const waiting = this.#onProgress;
    this.#onProgress = [];
    for (const resolve of waiting) resolve();
  }
}
