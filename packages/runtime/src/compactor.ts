import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { type Background, compactSession, type CheckpointId, type CompactionPorts, type SessionId } from "@workrail/core";
import type { CallsUnderWay } from "./calls-under-way.ts";

/** Sessions looked at when a store is opened: where an earlier process may have stopped in the middle. */
const NEWEST_RECORDS = 50;
/** So that a process that lives for years does not remember every checkpoint that is better left whole. */
const MOST_REMEMBERED = 10_000;

/** An agent thinks between its saves: that is the time to compact. */
const IDLE_MS = 250;
/** A program that never pauses must not put it off for ever. */
const MOST_POSTPONED = 64;
/** Re-encodings between two looks at a session, which list its checkpoints. */
const STEPS = MOST_POSTPONED;
/** At closing a session is not left with much of a tail, nor is anybody kept waiting for long. */
const STEPS_AT_CLOSING = 2 * MOST_POSTPONED;

/** Compacts sessions once nobody has saved for a moment, a few checkpoints at a time, between other work. */
export class Compactor {
  readonly #ports: CompactionPorts;
  readonly #background: Background;
  readonly #calls: CallsUnderWay;
  readonly #waiting = new Set<SessionId>();
  readonly #givenUp = new Set<CheckpointId>();
  #postponed = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(ports: CompactionPorts, background: Background, calls: CallsUnderWay) {
    this.#ports = ports;
    this.#background = background;
    this.#calls = calls;
  }

  /** After each save; what is asked for is done when asking pauses. */
  request(sessionId: SessionId): void {
    if (this.#isStopped) return;
    this.#waiting.add(sessionId);
    this.#postponed += 1;
    clearTimeout(this.#timer);
    if (this.#postponed >= MOST_POSTPONED) this.#begin();
    // A program that is otherwise done is not kept running; closing does what is left.
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
      const hasMore = await this.#step(sessionId);
      if (!hasMore) return;
      // Nothing may be queued any more once closing has begun: the rest is done in one go.
      if (this.#isStopped) await this.#step(sessionId, STEPS_AT_CLOSING);
      else this.#compact(sessionId);
    });
  }

  async #step(sessionId: SessionId, maxSteps = STEPS): Promise<boolean> {
    const { hasMore } = await compactSession(this.#ports, sessionId, {
      maxSteps,
      givenUp: this.#givenUp,
      // Saves and loads come before the next piece of work.
      pause: async () => {
        await turnOfTheLoop();
        await this.#calls.giveWay();
      },
      inPlace: (put) => this.#calls.betweenAnswers(put),
    });
    return hasMore;
  }

  /** Goes on where an earlier process stopped, in the sessions used last. */
  catchUp(): void {
    this.#background.run("catch up with compaction", async () => {
      if (this.#isStopped) return;
      const { records } = await this.#ports.catalog.list({ filter: {}, limit: NEWEST_RECORDS, offset: 0 });
      for (const sessionId of new Set(records.map((record) => record.sessionId))) this.#compact(sessionId);
    });
  }

  /** Takes nothing more on, and queues what was asked for. What is more than can be done at closing, the next process does. */
  stop(): void {
    this.#isStopped = true;
    this.#begin();
  }
}
