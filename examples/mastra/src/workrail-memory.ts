import { InMemoryMemory, MemoryStorage } from "@mastra/core/storage";
import { isWorkrailError, type Workrail } from "@workrail/runtime";
import { SavedRows, type Scope } from "./saved-rows.ts";

/** Attempts of an operation while other processes change the same threads. */
const MOST_TRIES = 10;

/** Parameters and results of a method of Mastra's storage for memory. */
type Given<Method extends keyof InMemoryMemory> = InMemoryMemory[Method] extends (given: infer Params) => unknown ? Params : never;
type Result<Method extends keyof InMemoryMemory> = InMemoryMemory[Method] extends (...given: never[]) => infer Promised ? Promised : never;

/**
 * Storage of Mastra's memory in a Workrail store: threads, messages, and working memory of resources. Each operation runs Mastra's own
 * implementation over the rows that it needs, and the rows that it changed are durable when it resolves.
 */
export class WorkrailMemory extends MemoryStorage {
  override readonly supportsPartialThreadUpdate = true;
  readonly #store: Workrail;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: Workrail) {
    super();
    this.#store = store;
  }

  getThreadById(given: Given<"getThreadById">): Result<"getThreadById"> {
    return this.#on({ threads: [given.threadId] }, (memory) => memory.getThreadById(given));
  }

  saveThread(given: Given<"saveThread">): Result<"saveThread"> {
    return this.#on({ threads: [given.thread.id] }, (memory) => memory.saveThread(given));
  }

  updateThread(given: Given<"updateThread">): Result<"updateThread"> {
    return this.#on({ threads: [given.id] }, (memory) => memory.updateThread(given));
  }

  deleteThread(given: Given<"deleteThread">): Result<"deleteThread"> {
    return this.#on({ threads: [given.threadId] }, (memory) => memory.deleteThread(given));
  }

  /** Messages to include may be in any thread. */
  listMessages(given: Given<"listMessages">): Result<"listMessages"> {
    const threads = given.include === undefined ? [given.threadId].flat() : "all";
    return this.#on({ threads }, (memory) => memory.listMessages(given));
  }

  override listMessagesByResourceId(given: Given<"listMessagesByResourceId">): Result<"listMessagesByResourceId"> {
    return this.#on({ threads: "all" }, (memory) => memory.listMessagesByResourceId(given));
  }

  listMessagesById(given: Given<"listMessagesById">): Result<"listMessagesById"> {
    return this.#on({ threads: "all" }, (memory) => memory.listMessagesById(given));
  }

  saveMessages(given: Given<"saveMessages">): Result<"saveMessages"> {
    const threads = [...new Set(given.messages.flatMap(({ threadId }) => threadId ?? []))];
    return this.#on({ threads }, (memory) => memory.saveMessages(given));
  }

  updateMessages(given: Given<"updateMessages">): Result<"updateMessages"> {
    return this.#on({ threads: "all" }, (memory) => memory.updateMessages(given));
  }

  override deleteMessages(given: Given<"deleteMessages">): Result<"deleteMessages"> {
    return this.#on({ threads: "all" }, (memory) => memory.deleteMessages(given));
  }

  listThreads(given: Given<"listThreads">): Result<"listThreads"> {
    return this.#on({ threads: "all" }, (memory) => memory.listThreads(given));
  }

  override copyThread(given: Given<"copyThread">): Result<"copyThread"> {
    const threads = [given.sourceThreadId, ...(given.newThreadId === undefined ? [] : [given.newThreadId])];
    return this.#on({ threads }, (memory) => memory.copyThread(given));
  }

  override getResourceById(given: Given<"getResourceById">): Result<"getResourceById"> {
    return this.#on({ resources: [given.resourceId] }, (memory) => memory.getResourceById(given));
  }

  override saveResource(given: Given<"saveResource">): Result<"saveResource"> {
    return this.#on({ resources: [given.resource.id] }, (memory) => memory.saveResource(given));
  }

  override updateResource(given: Given<"updateResource">): Result<"updateResource"> {
    return this.#on({ resources: [given.resourceId] }, (memory) => memory.updateResource(given));
  }

  /** Erases all threads and working memories for good. */
  dangerouslyClearAll(): Promise<void> {
    return this.#on({ threads: "all", resources: "all" }, (memory) => memory.dangerouslyClearAll());
  }

  /** Runs operations of this object one after another, and again when another process was faster. */
  #on<T>(scope: Scope, run: (memory: InMemoryMemory) => Promise<T>): Promise<T> {
    const result = this.#last.then(() => this.#tryOn(scope, run));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #tryOn<T>(scope: Scope, run: (memory: InMemoryMemory) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const rows = await SavedRows.read(this.#store, scope);
      const result = await run(new InMemoryMemory({ db: rows.db }));
      try {
        await rows.write();
        return result;
      } catch (error) {
        if (!isWorkrailError(error) || error.code !== "CONFLICT" || tries === MOST_TRIES) throw error;
      }
    }
  }
}
