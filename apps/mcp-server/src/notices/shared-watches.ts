import type { Log } from "@workrail/core";
import type { StoreChanges, Workrail } from "@workrail/runtime";

/** Project of a watch, as in `WatchChangesParams`. */
export type WatchedProject = string | null | undefined;
type Listener = (changes: StoreChanges) => void;

/** A watch that runs. */
interface Running {
  readonly listeners: Set<Listener>;
  readonly begun: Promise<void>;
  readonly end: AbortController;
}

/** Watches of a store, shared by all that listen: one for each project with listeners. */
export class SharedWatches {
  readonly #store: () => Promise<Workrail>;
  readonly #log: Log;
  readonly #running = new Map<WatchedProject, Running>();

  constructor(store: () => Promise<Workrail>, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /**
   * Adds a listener, which must not throw. Resolves, to the function that removes it, when it will get all later changes. Rejects
   * when the watch cannot begin.
   */
  async join(project: WatchedProject, listener: Listener): Promise<() => void> {
    const running = this.#running.get(project) ?? this.#begin(project);
    running.listeners.add(listener);
    const leave = (): void => {
      running.listeners.delete(listener);
      if (running.listeners.size === 0) this.#end(project, running);
    };
    try {
      await running.begun;
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  #begin(project: WatchedProject): Running {
    const begun = Promise.withResolvers<void>();
    const running: Running = { listeners: new Set(), begun: begun.promise, end: new AbortController() };
    this.#running.set(project, running);
    void this.#run(project, running, begun).finally(() => this.#end(project, running));
    return running;
  }

  async #run(project: WatchedProject, { listeners, end }: Running, begun: PromiseWithResolvers<void>): Promise<void> {
    let isBegun = false;
    try {
      const workrail = await this.#store();
      for await (const changes of workrail.watchChanges({ project, signal: end.signal })) {
        if (isBegun) for (const listener of listeners) listener(changes);
        isBegun = true;
        begun.resolve();
      }
    } catch (error) {
      if (isBegun) this.#log.error("notices of changes end", { error });
      begun.reject(error);
    }
  }

  #end(project: WatchedProject, running: Running): void {
    running.end.abort();
    if (this.#running.get(project) === running) this.#running.delete(project);
  }
}
