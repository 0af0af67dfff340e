import type { Caller, Workrail } from "@workrail/runtime";
import type { Progress } from "./progress.ts";
import type { ToolCall } from "./tool.ts";

/** Opens the store on first use: the server must answer even if its disk does not. */
export class LazyStore {
  readonly #open: (tell: (progress: Progress) => void) => Promise<Workrail>;
  readonly #waiting = new Set<ToolCall["progress"]>();
  #store: Promise<Workrail> | undefined;

  /** @param open opens the store, and reports its progress. */
  constructor(open: (tell: (progress: Progress) => void) => Promise<Workrail>) {
    this.#open = open;
  }

  /**
   * Returns the open store. Rejects with the error of opening; the next call tries again, because a disk can come back.
   *
   * @param call waits for the store: it learns how far opening is, and rejects with the reason of its signal once it is cancelled, so that a
   * cancelled call changes nothing unless it has begun to.
   */
  async get(call?: Pick<ToolCall, "signal" | "progress">): Promise<Workrail> {
    if (call !== undefined) this.#waiting.add(call.progress);
    try {
      const store = await this.#opened();
      call?.signal.throwIfAborted();
      // Hooks of the same host save while the server runs.
      await store.takeIncoming();
      call?.signal.throwIfAborted();
      return store;
    } finally {
      if (call !== undefined) this.#waiting.delete(call.progress);
    }
  }

  async #opened(): Promise<Workrail> {
    this.#store ??= this.#open((progress) => {
      for (const tell of this.#waiting) tell(progress);
    });
    try {
      return await this.#store;
    } catch (error) {
      this.#store = undefined;
      throw error;
    }
  }

  /**
   * Returns this store as it exists for a caller with a right to some projects, who is not told how far opening is: that would count the
   * work of others. Close the whole, not this one.
   */
  for(caller: Caller): LazyStore {
    return new LazyStore(async () => (await this.#opened()).asCaller(caller));
  }

  /** Closes the store if it was opened. */
  async close(): Promise<void> {
    const store = await this.#store?.catch(() => undefined);
    await store?.close();
  }
}
