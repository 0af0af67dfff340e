import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { elapsedMs } from "@workrail/blob-files";
import { type Background, type ChangedSession, type IndexState, type Log, SerialQueue, type SessionId, listChanges } from "@workrail/core";
import type { Followed, FollowPorts, IndexPorts } from "@workrail/search";
import { loadSearching } from "./load-searching.ts";
import type { SearchCheckpointsParams } from "./search-checkpoints.ts";

/**
 * Pause after the last change before indexing, longer than that of compaction. An agent thinks between saves, and indexing uses that time.
 */
const IDLE_MS = 1_000;
/** Changes after which indexing starts anyway, for a program that never pauses. */
const MOST_POSTPONED = 256;
/** Sessions taken from the index's pending list at once. */
const PIECE = 16;
/** Time for which an unreadable session is skipped: reading from a failing disk is slow. */
const PASS_OVER_MS = 60_000;
/** Most changes read by `isUpToDate`, below the number that the index notes. In an index that is up to date they are mostly loads. */
const FEW_CHANGES = 499;
/** Interval of progress logs during long work. */
const TELL_MS = 10_000;

/** A caller that waits for the index. */
export type CatchUpOptions = Pick<SearchCheckpointsParams, "signal" | "onProgress">;

/** Sessions in the search index. */
export interface Indexed {
  /** Sessions whose changes were indexed now. */
  readonly sessions: number;
  /** Sessions that could not be read, or were left because the work was stopped. */
  readonly pending: number;
}

interface IndexerPorts extends Omit<IndexPorts, "pause"> {
  readonly background: Background;
  readonly log: Log;
}

export interface IndexerOptions {
  /** True while a caller waits for an answer. */
  readonly isBusy: () => boolean;
  /** Called each time that nothing is left to index. */
  readonly onUpToDate: () => void;
}

/** Keeps the search index up to date with the store: after a pause in the saves, and before a search. */
export class Indexer {
  readonly #ports: IndexPorts & FollowPorts<IndexState>;
  readonly #background: Background;
  readonly #log: Log;
  /** Serialises all pieces of work. */
  readonly #turns = new SerialQueue();
  readonly #options: IndexerOptions;
  /** Sessions that could not be read, with the time of the next attempt. */
  readonly #passedOver = new Map<SessionId, number>();
  #postponed = 0;
  #isAtWork = false;
  #toldAt = elapsedMs();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor({ background, log, ...ports }: IndexerPorts, options: IndexerOptions) {
    this.#options = options;
    this.#ports = { ...ports, pause: yieldToEventLoop, reached: {} };
    this.#background = background;
    this.#log = log;
  }

  /** Called after each change. Starts indexing once changes pause. */
  request(): void {
    if (this.#isStopped) return;
    this.#postponed += 1;
    clearTimeout(this.#timer);
    if (this.#postponed >= MOST_POSTPONED) this.#begin();
    // Closing does not wait for the timer: the next process continues.
    else this.#beginLater();
  }

  /**
   * Indexes pending sessions for a limited time, or until a signal. Resolves with the number left, and leaves these to the background.
   *
   * @throws STORAGE_UNAVAILABLE
   */
  async catchUp(forMs: number, { signal, onProgress }: CatchUpOptions): Promise<number> {
    const { state } = await this.#followChanges();
    const total = state?.pending ?? (await this.#pending());
    // Usually nothing is pending.
    if (total === 0) return 0;
    // The time starts here: following the changes may be slow on a busy machine, and recent saves must still be indexed.
    const until = elapsedMs() + forMs;
    const isOver = (): boolean => elapsedMs() > until || signal?.aborted === true;
    const tell = async (): Promise<void> => onProgress?.({ done: Math.max(0, total - (await this.#pending())), total });
    onProgress?.({ done: 0, total });
    while (!isOver() && (await this.#piece(isOver))) if (onProgress !== undefined) await tell();
    const pending = await this.#pending();
    if (pending > 0) this.#begin();
    return pending;
  }

  /**
   * Tells whether everything is indexed. Reads little and writes nothing, however much is pending.
   *
   * @throws STORAGE_UNAVAILABLE
   */
  async isUpToDate(): Promise<boolean> {
    const { position, pending } = await this.#ports.search.state();
    if (position === undefined || pending > 0) return false;
    const news = await listChanges(this.#ports.catalog, { after: position, limit: FEW_CHANGES });
    if (news === undefined || news.hasMore || news.sessions.length > 0) return false;
    // Remembers the position, so that a search does not read these changes again.
    await this.#followChanges();
    return true;
  }

  /**
   * Indexes everything pending, except sessions that cannot be read now.
   *
   * @param tell called with the number of sessions done and in total.
   * @throws STORAGE_UNAVAILABLE
   */
  async finish(tell: (done: number, total: number) => void, signal?: { readonly aborted: boolean }): Promise<Indexed> {
    await this.#followChanges();
    const total = await this.#pending();
    if (total > 0) tell(0, total);
    while (await this.#piece(() => this.#isOver(signal))) tell(Math.max(0, total - (await this.#pending())), total);
    const pending = await this.#pending();
    return { sessions: Math.max(0, total - pending), pending };
  }

  /** Tidies the index, as far as that is due. */
  async tidy(signal?: { readonly aborted: boolean }): Promise<void> {
    while (!this.#isOver(signal) && (await this.#turns.run(() => this.#ports.search.tidy()))) await yieldToEventLoop();
  }

  #isOver(signal: { readonly aborted: boolean } | undefined): boolean {
    return this.#isStopped || signal?.aborted === true;
  }

  /** Starts nothing more, and ends running work at the next pause. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Waits for running calls: a large checkpoint read by both would be in memory twice. */
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
      if (isNew) this.#log.info("creating the search index", { ...(await this.#ports.search.state()) });
      return true;
    });
  }

  /** Queues one piece at a time, so that compaction, which uses the same queue, runs in between. */
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

  /** Resolves to `false` when nothing was left to do, or the work is to stop. */
  #piece(isOver: () => boolean): Promise<boolean> {
    return this.#turns.run(async () => {
      const sessions = await this.#sessionsToIndex();
      const { indexSession } = await loadSearching();
      for (const session of sessions) {
        if (isOver()) return false;
        const outcome = await indexSession(this.#ports, session);
        if (outcome === "unreadable") this.#passedOver.set(session.sessionId, elapsedMs() + PASS_OVER_MS);
        await yieldToEventLoop();
      }
      return sessions.length > 0;
    });
  }
}
