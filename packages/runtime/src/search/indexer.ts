import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { type Background, followChanges, type IndexPorts, indexSession, type Log, SerialQueue } from "@workrail/core";

/** An agent thinks between its saves: after compaction, that is the time to index. */
const IDLE_MS = 1_000;
/** A program that never pauses must not put it off for ever. */
const MOST_POSTPONED = 256;
/** Sessions taken from the index's list at once. */
const PIECE = 16;
/** How often to tell how far a long work is. */
const TELL_MS = 10_000;

/** Has the search index follow the store: once nobody has saved for a moment, and before a search. */
export class Indexer {
  readonly #ports: IndexPorts;
  readonly #background: Background;
  readonly #log: Log;
  /** One piece at a time, whoever asks for it. */
  readonly #turns = new SerialQueue();
  #postponed = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(ports: Omit<IndexPorts, "pause">, background: Background, log: Log) {
    this.#ports = { ...ports, pause: turnOfTheLoop };
    this.#background = background;
    this.#log = log;
  }

  /** After each change; what is asked for is done when asking pauses. */
  request(): void {
    if (this.#isStopped) return;
    this.#postponed += 1;
    clearTimeout(this.#timer);
    if (this.#postponed >= MOST_POSTPONED) this.#begin();
    // Closing does not wait for it: whoever comes next goes on.
    else this.#timer = setTimeout(() => this.#begin(), IDLE_MS).unref();
  }

  /**
   * Indexes what is not yet, for so long at most. Resolves with how many sessions are left, and leaves these to the background.
   *
   * @throws STORAGE_UNAVAILABLE
   */
  async catchUp(forMs: number): Promise<number> {
    const until = performance.now() + forMs;
    await this.#turns.run(() => followChanges(this.#ports));
    while (performance.now() < until && (await this.#piece(() => performance.now() > until)));
    const { pending } = await this.#ports.search.state();
    if (pending > 0) this.#begin();
    return pending;
  }

  /** Begins nothing any more, and ends what it does at the next pause. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#postponed = 0;
    this.#background.run("index", () => this.#indexAll());
  }

  async #indexAll(): Promise<void> {
    if (this.#isStopped) return;
    const isNew = await this.#turns.run(() => followChanges(this.#ports));
    if (isNew) this.#log.info("making the search index", { ...(await this.#ports.search.state()) });
    let told = performance.now();
    while (await this.#piece(() => this.#isStopped)) {
      if (performance.now() - told < TELL_MS) continue;
      told = performance.now();
      this.#log.info("indexing for search", { pendingSessions: (await this.#ports.search.state()).pending });
    }
    while (!this.#isStopped && (await this.#turns.run(() => this.#ports.search.tidy()))) await turnOfTheLoop();
  }

  /** `false` when there was nothing left to do, or it is to stop. */
  #piece(isOver: () => boolean): Promise<boolean> {
    return this.#turns.run(async () => {
      const sessions = await this.#ports.search.pending(PIECE);
      for (const session of sessions) {
        if (isOver()) return false;
        await indexSession(this.#ports, session);
        await turnOfTheLoop();
      }
      return sessions.length > 0;
    });
  }
}
