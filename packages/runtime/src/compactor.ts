import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import {
  type Background,
  compactSession,
  type CheckpointId,
  type CompactionPorts,
  type CompactionReport,
  type PageCursor,
  type SessionId,
  queryCheckpoints,
  querySessions,
  sumUsage,
} from "@workrail/core";
import type { CallsUnderWay } from "./calls-under-way.ts";

/** Newest checkpoints read when a store is opened, to find sessions where an earlier process may have stopped half-way. */
const NEWEST_RECORDS = 50;
/** Bounds the memory of a process that runs for years: it forgets which checkpoints are better left whole beyond this many. */
const MOST_REMEMBERED = 10_000;

/** Pause after the last save before compaction starts. An agent thinks between saves, and compaction uses that time. */
const IDLE_MS = 250;
/** Saves after which compaction starts anyway, for a program that never pauses. */
const MOST_POSTPONED = 64;
/** Re-encodings before the checkpoints of a session are listed again. */
const STEPS = MOST_POSTPONED;
/** Bound at closing: long enough to leave a session only a short tail, short enough not to delay the caller. */
const STEPS_AT_CLOSING = 2 * MOST_POSTPONED;

/** Sessions listed at a time. */
const PAGE = 100;

/** Checkpoints that were stored smaller. */
export interface Compacted {
  readonly checkpoints: number;
  readonly savedBytes: number;
}

export interface CompactAllOptions {
  readonly onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined;
  readonly signal?: { readonly aborted: boolean } | undefined;
}

/** Compacts sessions when no save has arrived for a moment, a few checkpoints at a time, between other work. */
export class Compactor {
  readonly #ports: CompactionPorts;
  readonly #background: Background;
  readonly #calls: CallsUnderWay;
  readonly #waiting = new Set<SessionId>();
  readonly #givenUp = new Set<CheckpointId>();
  #postponed = 0;
  /** The session of the last save, and the number of saves to it in sequence. */
  #last: { readonly sessionId: SessionId; readonly saves: number } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(ports: CompactionPorts, background: Background, calls: CallsUnderWay) {
    this.#ports = ports;
    this.#background = background;
    this.#calls = calls;
  }

  /** Called after each save. Starts compaction of the requested sessions once saves pause. */
  request(sessionId: SessionId): void {
    if (this.#isStopped) return;
    this.#waiting.add(sessionId);
    this.#last = { sessionId, saves: this.#last?.sessionId === sessionId ? this.#last.saves + 1 : 1 };
    this.#postponed += 1;
    clearTimeout(this.#timer);
    if (this.#postponed >= MOST_POSTPONED) this.#begin();
    // The timer does not keep a finished program running; closing does the rest.
    else this.#timer = setTimeout(() => this.#begin(), IDLE_MS).unref();
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#postponed = 0;
    for (const sessionId of this.#waiting) this.#compact(sessionId);
    this.#waiting.clear();
  }

  #compact(sessionId: SessionId): void {
    this.#background.run("compact", async () => {
      if (this.#givenUp.size > MOST_REMEMBERED) this.#givenUp.clear();
      const { hasMore } = await this.#step(sessionId);
      if (!hasMore) return;
      // Nothing may be queued after closing has begun, so the rest is done in one step.
      if (this.#isStopped) await this.#step(sessionId, STEPS_AT_CLOSING);
      else this.#compact(sessionId);
    });
  }

  #step(sessionId: SessionId, maxSteps = STEPS): Promise<CompactionReport> {
    return compactSession(this.#ports, sessionId, {
      maxSteps,
      givenUp: this.#givenUp,
      atRest: this.#isLeft(sessionId),
      // Lets saves and loads run before the next piece of work.
      pause: async () => {
        await yieldToEventLoop();
        await this.#calls.giveWay();
      },
      inPlace: (put) => this.#calls.betweenAnswers(put),
    });
  }

  /** Compacts every session now, the last used first. */
  async compactAll({ onProgress, signal }: CompactAllOptions): Promise<Compacted> {
    const total = (await sumUsage(this.#ports.catalog)).sessions;
    const sum = { checkpoints: 0, savedBytes: 0 };
    let done = 0;
    for await (const sessionId of this.#everySession()) {
      for (let hasMore = true; hasMore;) {
        if (this.#isStopped || signal?.aborted === true) return sum;
        const report = await compactSession(this.#ports, sessionId, {
          maxSteps: STEPS,
          givenUp: this.#givenUp,
          atRest: true,
          pause: yieldToEventLoop,
        });
        sum.checkpoints += report.reencoded;
        sum.savedBytes += report.savedBytes;
        hasMore = report.hasMore;
      }
      onProgress?.({ done: ++done, total: Math.max(done, total) });
    }
    return sum;
  }

  async *#everySession(): AsyncGenerator<SessionId, void, undefined> {
    let after: PageCursor | undefined;
    do {
      const { sessions, next } = await querySessions(this.#ports.catalog, { limit: PAGE, after });
      for (const { id } of sessions) yield id;
      after = next;
    } while (after !== undefined);
  }

  /** Continues where an earlier process stopped, in the sessions used last. */
  catchUp(): void {
    this.#background.run("catch up with compaction", async () => {
      if (this.#isStopped) return;
      const { records } = await queryCheckpoints(this.#ports.catalog, { filter: {}, limit: NEWEST_RECORDS, offset: 0 });
      for (const sessionId of new Set(records.map((record) => record.sessionId))) this.#compact(sessionId);
    });
  }

  /** True when a process that worked on a session closes. A process that saves once, such as a hook, gives no hint of the next save. */
  #isLeft(sessionId: SessionId): boolean {
    return this.#isStopped && this.#last?.sessionId === sessionId && this.#last.saves > 1;
  }

  /** Accepts no more requests, and queues the pending ones. Work beyond the bound at closing is left to the next process. */
  stop(): void {
    this.#isStopped = true;
    if (this.#last !== undefined && this.#isLeft(this.#last.sessionId)) this.#waiting.add(this.#last.sessionId);
    this.#begin();
  }
}
