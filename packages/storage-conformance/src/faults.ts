/** What befalls one file operation. */
export type FaultKind =
  /** It fails, and did nothing. */
  | "fails"
  /** It did what it should, and reports a failure all the same. */
  | "fails-after"
  /** A write stores some of its bytes, then fails. Strikes writes only. */
  | "tears"
  /** A write takes fewer bytes than it was given, and says so. Legal: the writer has to go on. Strikes writes only. */
  | "takes-less"
  /** The process ends before it: it and everything after it fails without effect. */
  | "crashes";

export interface FaultPlan {
  readonly kind: FaultKind;
  /** Strikes at the nth operation of those it can strike, counted from 1 and from now. */
  readonly at: number;
  /** Strikes at every operation from there on. A crash always does. */
  readonly persistent: boolean;
  /** The system's error code, such as `EIO`. */
  readonly code: string;
}

/**
 * Decides which file operation of a store fails. The kit arms it; a harness gives its store a file system wrapped by
 * `withFaults`, or asks `strike` itself before each operation.
 */
export class Faults {
  #plan: FaultPlan | undefined;
  #count = 0;
  #struck = false;

  /** Counts from here. */
  arm(plan: FaultPlan): void {
    this.#plan = plan;
    this.#count = 0;
    this.#struck = false;
  }

  disarm(): void {
    this.#plan = undefined;
  }

  /** Whether anything failed since it was armed. */
  get struck(): boolean {
    return this.#struck;
  }

  /**
   * Called once for each file operation, before it: what befalls it, `undefined` for nothing.
   *
   * @param isWrite whether it stores bytes, and could store some of them only.
   */
  strike(isWrite: boolean): FaultPlan | undefined {
    const plan = this.#plan;
    if (plan === undefined || (!isWrite && (plan.kind === "tears" || plan.kind === "takes-less"))) return undefined;
    this.#count += 1;
    const lasts = plan.persistent || plan.kind === "crashes";
    if (lasts ? this.#count < plan.at : this.#count !== plan.at) return undefined;
    this.#struck = true;
    return plan;
  }
}

/** The error that a faulty operation fails with, shaped as Node's own. */
export function faultError(plan: FaultPlan, operation: string): Error {
  return Object.assign(new Error(`${plan.code}: injected fault, ${operation}`), { code: plan.code, syscall: operation });
}

/** How operations fail: with a rejected promise, the default, or by throwing, where they are synchronous. */
export interface FaultOptions {
  readonly throws?: boolean;
}

/**
 * Wraps an object whose methods are file operations, such as `node:fs/promises` or a port of your own that is made of them: a write may
 * store a part of its bytes. Where it cannot, as in a statement of a database, ask `Faults.strike` instead. Objects with a `close` that
 * they return (file handles) are wrapped too. Closing is never refused: the kit would run out of handles.
 */
export function withFaults<T extends object>(files: T, faults: Faults, options: FaultOptions = {}): T {
  return new Proxy(files, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function" || typeof name === "symbol") return member;
      const operation: Operation = (...args) => Reflect.apply(member, target, args);
      if (name === "close") return operation;
      if (options.throws === true) return (...args: readonly unknown[]) => new Strike(name, operation, args, faults).now();
      return (...args: readonly unknown[]) => new Strike(name, operation, args, faults).soon();
    },
  });
}

type Operation = (...args: readonly unknown[]) => unknown;

/** One call of one operation. */
class Strike {
  readonly #operation: Operation;
  readonly #args: readonly unknown[];
  readonly #faults: Faults;
  readonly #kind: FaultKind | undefined;
  readonly #error: Error | undefined;

  constructor(name: string, operation: Operation, args: readonly unknown[], faults: Faults) {
    const plan = faults.strike(args.some((arg) => arg instanceof Uint8Array));
    this.#kind = plan?.kind;
    this.#error = plan === undefined || plan.kind === "takes-less" ? undefined : faultError(plan, name);
    this.#operation = operation;
    this.#args = plan?.kind === "tears" || (plan?.kind === "takes-less" && name === "write") ? args.map(half) : args;
    this.#faults = faults;
  }

  now(): unknown {
    const result = this.#isCarriedOut() ? this.#operation(...this.#args) : undefined;
    if (this.#error === undefined) return result;
    // A port may mix the two: what takes its time fails when it is done.
    if (result instanceof Promise) return result.then(() => Promise.reject(this.#error as Error));
    throw this.#error;
  }

  async soon(): Promise<unknown> {
    const result = this.#isCarriedOut() ? await this.#operation(...this.#args) : undefined;
    const isHandle = typeof result === "object" && result !== null && "close" in result && typeof result.close === "function";
    if (this.#error === undefined) return isHandle ? withFaults(result, this.#faults) : result;
    if (isHandle) await (result as { close(): unknown }).close();
    throw this.#error;
  }

  #isCarriedOut(): boolean {
    return this.#kind !== "fails" && this.#kind !== "crashes";
  }
}

function half(arg: unknown): unknown {
  return arg instanceof Uint8Array ? arg.subarray(0, Math.ceil(arg.length / 2)) : arg;
}
