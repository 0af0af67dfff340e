import type { Workrail } from "@workrail/runtime";

/** Opens the store on first use: the server must answer even if its disk does not. */
export class LazyStore {
  readonly #open: () => Promise<Workrail>;
  #store: Promise<Workrail> | undefined;

  constructor(open: () => Promise<Workrail>) {
    this.#open = open;
  }

  /** Returns the open store. Rejects with the error of opening; the next call tries again, because a disk can come back. */
  async get(): Promise<Workrail> {
    const store = await this.#opened();
    // Hooks of the same host save while the server runs.
    await store.takeIncoming();
    return store;
  }

  async #opened(): Promise<Workrail> {
    this.#store ??= this.#open();
    try {
      return await this.#store;
    } catch (error) {
      this.#store = undefined;
      throw error;
    }
  }

  /** Closes the store if it was opened. */
  async close(): Promise<void> {
    const store = await this.#store?.catch(() => undefined);
    await store?.close();
  }
}
