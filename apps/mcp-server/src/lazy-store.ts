import type { Caller, Workrail } from "@workrail/runtime";
import type { Progress, TellProgress } from "./progress.ts";
import type { ToolCall } from "./tool.ts";

/** Opens the store on first use: the server must answer even if its disk does not. */
export class LazyStore {
  readonly #open: (tell: (progress: Progress) => void) => Promise<Workrail>;
  readonly #waiting = new Set<TellProgress>();
  #opening: Promise<Workrail> | undefined;
  #opened: Workrail | undefined;
  #isPart = false;

  /** @param open opens the store, and reports its progress. */
  constructor(open: (tell: (progress: Progress) => void) => Promise<Workrail>) {
    this.#open = open;
  }

  /** True when the store is open, and closing it loses nothing: memory holds no saves that could not be written. */
  get canBeClosed(): boolean {
    return this.#opened?.durability === "disk";
  }

  /** True from the beginning of opening until the store is closed. */
  get isOpen(): boolean {
    return this.#opening !== undefined;
  }

  /**
   * Returns the open store. Rejects with the error of opening; the next call tries again, because a disk can come back.
   *
   * @param call waits for the store: it learns how far opening is, and rejects with the reason of its signal once it is cancelled, so that a
   * cancelled call changes nothing unless it has begun to.
   */
  async get(call?: Pick<ToolCall, "signal" | "progress">): Promise<Workrail> {
    if (call?.progress !== undefined) this.#waiting.add(call.progress);
    try {
      const store = await this.#found();
      call?.signal.throwIfAborted();
      // Hooks of the same host save while the server runs.
      await store.takeIncoming();
      call?.signal.throwIfAborted();
      return store;
    } finally {
      if (call?.progress !== undefined) this.#waiting.delete(call.progress);
    }
  }

  async #found(): Promise<Workrail> {
    if (this.#isPart) return this.#open(() => {});
    this.#opening ??= this.#open((progress) => {
      for (const tell of this.#waiting) tell(progress);
    });
    const opening = this.#opening;
    try {
      const store = await opening;
      if (this.#opening === opening) this.#opened = store;
      return store;
    } catch (error) {
      if (this.#opening === opening) this.#opening = undefined;
      throw error;
    }
  }

  /**
   * Returns this store as it exists for a caller, who is not told how far opening is: that would count the work of others. Close the whole,
   * not this one.
   */
  for(caller: Caller): LazyStore {
    const parts = new WeakMap<Workrail, Workrail>();
    const part = new LazyStore(async () => {
      // Another one after the store was closed and opened again.
      const whole = await this.#found();
      const known = parts.get(whole) ?? whole.asCaller(caller);
      parts.set(whole, known);
      return known;
    });
    part.#isPart = true;
    return part;
  }

  /** Closes the store if it was opened. The next call opens it again. */
  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    this.#opened = undefined;
    const store = await opening?.catch(() => undefined);
    await store?.close();
  }
}
