import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { elapsedMs } from "@workrail/blob-files";
import {
  type Background,
  type ChangedSession,
  type Followed,
  type FollowPorts,
  type IndexPorts,
  type IndexState,
  type Log,
  SerialQueue,
  type SessionId,
} from "@workrail/core";
import { loadSearching } from "./load-searching.ts";

/** An agent thinks between its saves: after compaction, that is the time to index. */
const IDLE_MS = 1_000;
/** A program that never pauses must not put it off for ever. */
const MOST_POSTPONED = 256;
/** Sessions taken from the index's list at once. */
const PIECE = 16;
/** For how long what could not be read is passed over: reading from a disk that fails takes its time. */
const PASS_OVER_MS = 60_000;
/** Of an index that is up to date, mostly loads: fewer than are worth noting. */
const FEW_CHANGES = 499;
/** How often to tell how far a long work is. */
const TELL_MS = 10_000;

export interface IndexerOptions {
  /** Whether somebody waits for an answer. */
  readonly isBusy: () => boolean;
  /** Told each time that nothing is left to be indexed. */
  readonly onUpToDate: () => void;
}

/** Has the search index follow the store: once nobody has saved for a moment, and before a search. */
export class Indexer {
  readonly #ports: IndexPorts & FollowPorts<IndexState>;
  readonly #background: Background;
  readonly #log: Log;
  /** One piece at a time, whoever asks for it. */
  readonly #turns = new SerialQueue();
  readonly #options: IndexerOptions;
  /** Sessions of which something could not be read, and when that is tried again. */
  readonly #passedOver = new Map<SessionId, number>();
  #postponed = 0;
  #isAtWork = false;
  #toldAt = elapsedMs();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(ports: Omit<IndexPorts, "pause">, background: Background, log: Log, options: IndexerOptions) {
    this.#options = options;
    this.#ports = { ...ports, pause: turnOfTheLoop, reached: {} };
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
    else this.#beginLater();
  }

  /**
   * Indexes what is not yet, for so long at most. Resolves with how many sessions are left, and leaves these to the background.
   *
   * @throws STORAGE_UNAVAILABLE
   */
  async catchUp(forMs: number): Promise<number> {
    const { state } = await this.#followChanges();
    // Mostly there is nothing to be done.
    if ((state?.pending ?? (await this.#pending())) === 0) return 0;
    // From here on: where that took long, as on a busy machine, what was just saved would not be found.
    const until = elapsedMs() + forMs;
    while (elapsedMs() < until && (await this.#piece(() => elapsedMs() > until)));
    const pending = await this.#pending();
    if (pending > 0) this.#begin();
    return pending;
  }

  /**
   * Whether all is indexed. Looks at little and writes nothing, however much there is to do.
   *
   * @throws STORAGE_UNAVAILABLE
   */
  async isUpToDate(): Promise<boolean> {
    const { position, pending } = await this.#ports.search.state();
    if (position === undefined || pending > 0) return false;
    const news = await this.#ports.catalog.changes({ after: position, limit: FEW_CHANGES });
    if (news === undefined || news.hasMore || news.sessions.length > 0) return false;
    // Remembered, so that a search does not read them again.
    await this.#followChanges();
    return true;
  }

  /**
   * Indexes all that is not yet, but what cannot be indexed now.
   *
   * @param tell how many sessions of how many.
   * @throws STORAGE_UNAVAILABLE
   */
  async finish(tell: (done: number, total: number) => void): Promise<void> {
    await this.#followChanges();
    const total = await this.#pending();
    if (total > 0) tell(0, total);
    while (await this.#piece(() => this.#isStopped)) tell(Math.max(0, total - (await this.#pending())), total);
  }

  /** Begins nothing any more, and ends what it does at the next pause. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Not beside a call: what both read of large checkpoints would be in memory twice. */
  #beginLater(): void {
    this.#timer = setTimeout(() => (this.#options.isBusy() ? this.#beginLater() : this.#begin()), IDLE_MS).unref();
  }

  async #pending(): Promise<number> {
    return (await this.#ports.search.state()).pending;
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#postponed = 0;
    if (this.#isAtWork) return;
    this.#isAtWork = true;
    this.#inBackground(async () => {
      const { isNew } = await this.#followChanges();
      if (isNew) this.#log.info("making the search index", { ...(await this.#ports.search.state()) });
      return true;
    });
  }

  /** A piece at a time: compaction, which waits in the same queue, comes in between. */
  #inBackground(work: () => Promise<boolean>): void {
    this.#background.run("index", async () => {
      let hasMore = false;
      try {
        hasMore = !this.#isStopped && (await work());
      } finally {
        this.#isAtWork = hasMore;
      }
      if (hasMore) this.#inBackground(() => this.#pieceOrTidy());
    });
  }

  async #pieceOrTidy(): Promise<boolean> {
    if (!(await this.#piece(() => this.#isStopped))) {
      const hasMore = await this.#turns.run(() => this.#ports.search.tidy());
      if (!hasMore && !this.#isStopped) this.#options.onUpToDate();
      return hasMore;
    }
    if (elapsedMs() - this.#toldAt > TELL_MS) {
      this.#toldAt = elapsedMs();
      this.#log.info("indexing for search", { pendingSessions: (await this.#ports.search.state()).pending });
    }
    return true;
  }

  #followChanges(): Promise<Followed<IndexState>> {
    return this.#turns.run(async () => (await loadSearching()).followChanges(this.#ports));
  }

  async #sessionsToIndex(): Promise<readonly ChangedSession[]> {
    for (const [session, until] of this.#passedOver) if (until < elapsedMs()) this.#passedOver.delete(session);
    const sessions = await this.#ports.search.pending(PIECE + this.#passedOver.size);
    return sessions.filter(({ sessionId }) => !this.#passedOver.has(sessionId)).slice(0, PIECE);
  }

  /** `false` when there was nothing left to do, or it is to stop. */
  #piece(isOver: () => boolean): Promise<boolean> {
    return this.#turns.run(async () => {
      const sessions = await this.#sessionsToIndex();
      const { indexSession } = await loadSearching();
      for (const session of sessions) {
        if (isOver()) return false;
        const outcome = await indexSession(this.#ports, session);
        if (outcome === "unreadable") this.#passedOver.set(session.sessionId, elapsedMs() + PASS_OVER_MS);
        await turnOfTheLoop();
      }
      return sessions.length > 0;
    });
  }
}
