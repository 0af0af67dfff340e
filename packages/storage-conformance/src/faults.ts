/** Kind of a fault in a file operation. */
export type FaultKind =
  /** The operation fails without effect. */
  | "fails"
  /** The operation has its full effect and then reports a failure. */
  | "fails-after"
  /** A write stores some of its bytes and then fails. Strikes only writes. */
  | "tears"
  /** A write takes fewer bytes than given and reports their number. Legal: the writer must continue. Strikes only writes. */
  | "takes-less"
  /** The process ends before the operation: it and all later operations fail without effect. */
  | "crashes";

export interface FaultPlan {
  readonly kind: FaultKind;
  /** Number of the operation to strike, from 1, among those after arming that the fault can strike. */
  readonly at: number;
  /** True when the fault strikes all later operations too. A crash always does. */
  readonly persistent: boolean;
  /** The system's error code, such as `EIO`. */
  readonly code: string;
}

/**
 * Decides which file operation of a store fails. The kit arms the fault. A harness gives its store a file system that is
 * wrapped with `withFaults`, or calls `strike` itself before each operation.
 */
export class Faults {
  #plan: FaultPlan | undefined;
  #count = 0;
  #struck = false;

  /** Arms a fault and starts counting. */
  arm(plan: FaultPlan): void {
    this.#plan = plan;
    this.#count = 0;
    this.#struck = false;
  }

  disarm(): void {
    this.#plan = undefined;
  }

  /** True when the fault struck since it was armed. */
  get struck(): boolean {
    return this.#struck;
  }

  /**
   * Returns the fault of a file operation; `undefined` for none. Called once before each operation.
   *
   * @param isWrite true when the operation stores bytes and could store only some of them.
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

/** Makes the error of a faulty operation, shaped like Node's own. */
export function faultError(plan: FaultPlan, operation: string): Error {
  return Object.assign(new Error(`${plan.code}: injected fault, ${operation}`), { code: plan.code, syscall: operation });
}

/** `throws`: true for synchronous operations, which fail by throwing. Default: operations reject. */
export interface FaultOptions {
  readonly throws?: boolean;
}

/**
 * Wraps an object whose methods are file operations, such as `node:fs/promises` or your own port over them. For operations that
 * cannot store a part of their bytes, such as database statements, call `Faults.strike` instead. Returned objects with a `close`
 * (file handles) are wrapped too. Closing never fails, because the kit would run out of handles.
 */
export function withFaults<T extends object>(files: T, faults: Faults, options: FaultOptions = {}): T {
  return new Proxy(files, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function" || typeof name === "symbol") return member;
      const operation: Operation = (...args) => Reflect.apply(member, target, args);
      if (name === "close") return operation;
      if (options.throws === true) return (...args: readonly unknown[]) => new StruckCall({ name, operation, args }, faults).runSync();
      return (...args: readonly unknown[]) => new StruckCall({ name, operation, args }, faults).run();
    },
  });
}

type Operation = (...args: readonly unknown[]) => unknown;

/** One call of one operation. */
interface Call {
  readonly name: string;
  readonly operation: Operation;
  readonly args: readonly unknown[];
}

/** A call with its fault. */
class StruckCall {
  readonly #operation: Operation;
  readonly #args: readonly unknown[];
  readonly #faults: Faults;
  readonly #kind: FaultKind | undefined;
  readonly #error: Error | undefined;

  constructor({ name, operation, args }: Call, faults: Faults) {
    const plan = faults.strike(args.some((arg) => arg instanceof Uint8Array));
    this.#kind = plan?.kind;
    this.#error = plan === undefined || plan.kind === "takes-less" ? undefined : faultError(plan, name);
    this.#operation = operation;
    this.#args = plan?.kind === "tears" || (plan?.kind === "takes-less" && name === "write") ? args.map(half) : args;
    this.#faults = faults;
  }

  runSync(): unknown {
    const result = this.#isCarriedOut() ? this.#operation(...this.#args) : undefined;
    if (this.#error === undefined) return result;
    // An asynchronous operation of a synchronous port rejects when it is done.
    if (result instanceof Promise) return result.then(() => Promise.reject(this.#error as Error));
    throw this.#error;
  }

  async run(): Promise<unknown> {
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
