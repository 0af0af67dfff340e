import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Clock, ERROR_CODES, type ErrorCode, type IdGenerator, WorkrailError } from "@workrail/core";
import type { FaultPlan } from "../faults.ts";
import type { StorageHarness } from "../harness.ts";
import type { Answer, Order, OrderedParts } from "./order.ts";

/** True in the repository, where the program runs from source; the published program is compiled. */
const isSource = import.meta.url.endsWith(".ts");
const PROGRAM = fileURLToPath(new URL(isSource ? "./obey.ts" : "./obey.js", import.meta.url));
const NODE_ARGUMENTS = isSource ? ["--conditions=@workrail/source"] : [];

export interface OtherProcessOptions {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly maxCheckpoints: number;
}

/** Another process with the store open, which carries out orders. It gets the time and ids from this process. */
export class OtherProcess implements OrderedParts {
  readonly bench: OrderedParts["bench"];
  readonly catalog: OrderedParts["catalog"];
  readonly #child: ChildProcess;
  readonly #options: OtherProcessOptions;
  readonly #waiting = new Map<number, PromiseWithResolvers<Answer>>();
  readonly #exited: Promise<void>;
  #orders = 0;
  #complaints = "";
  #isGone = false;
  /** Fault for the next order; `#fateful` is the fault of the last order. */
  #fault: FaultPlan | undefined;
  #fateful: FaultPlan | undefined;
  #struck = false;

  /** Starts the process. Resolves when it has the store open. */
  static async start(harness: StorageHarness, place: string, options: OtherProcessOptions): Promise<OtherProcess> {
    if (harness.module === undefined) throw new Error("The harness names no module.");
    const args = [harness.module, place, String(options.maxCheckpoints)];
    const child = fork(PROGRAM, args, {
      execArgv: NODE_ARGUMENTS,
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    const other = new OtherProcess(child, options);
    await other.#answerTo(0);
    return other;
  }

  private constructor(child: ChildProcess, options: OtherProcessOptions) {
    this.#child = child;
    this.#options = options;
    this.bench = this.#part("bench");
    this.catalog = this.#part("catalog");
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#complaints += text;
    });
    child.on("message", (answer: Answer) => {
      this.#waiting.get(answer.number)?.resolve(answer);
      this.#waiting.delete(answer.number);
    });
    this.#exited = new Promise((resolve) => {
      child.once("exit", () => {
        this.#isGone = true;
        this.#struck ||= this.#fateful?.kind === "crashes" && child.signalCode === "SIGKILL";
        for (const { reject } of this.#waiting.values()) reject(this.#end());
        resolve();
      });
    });
  }

  /** Arms a fault for the next order, or none. */
  arm(fault: FaultPlan | undefined): void {
    this.#fault = fault;
    this.#struck = false;
  }

  /** True when the fault struck since it was armed. */
  get struck(): boolean {
    return this.#struck;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Ends the process. Rejects unless it exits with 0 or was killed. */
  async close(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#exited;
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== 0 && signalCode !== "SIGKILL") throw this.#end();
  }

  #part<Part extends keyof OrderedParts>(part: Part): OrderedParts[Part] {
    return new Proxy({} as OrderedParts[Part], {
      get: (_, method) => (method === "then" ? undefined : (...args: readonly unknown[]) => this.#order(part, String(method), args)),
    });
  }

  async #order(part: keyof OrderedParts, method: string, args: readonly unknown[]): Promise<unknown> {
    const { clock, ids } = this.#options;
    const fault = this.#fault;
    [this.#fault, this.#fateful] = [undefined, fault];
    const order: Order = { number: (this.#orders += 1), part, method, args, now: clock.now(), nextId: ids.checkpointId(), fault };
    if (this.#isGone) throw this.#end();
    this.#child.send(order);
    const { result, struck, error } = await this.#answerTo(order.number);
    this.#struck ||= struck;
    if (error === undefined) return result;
    throw isErrorCode(error.code) ? new WorkrailError(error.code, error.message) : new Error(error.message);
  }

  async #answerTo(number: number): Promise<Answer> {
    const waiting = Promise.withResolvers<Answer>();
    this.#waiting.set(number, waiting);
    return waiting.promise;
  }

  /** Error for callers after the process has ended. */
  #end(): Error {
    if (this.#struck) return new WorkrailError("STORAGE_UNAVAILABLE", "The other process was killed.");
    const { exitCode, signalCode } = this.#child;
    return new Error(`The other process ended with ${exitCode ?? signalCode}: ${this.#complaints}`);
  }
}

function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(ERROR_CODES, code);
}
