import { setTimeout as sleep } from "node:timers/promises";
import { elapsedMs } from "@workrail/blob-files";

/** Quiet time after an answer: longer than a caller needs to look at the files that a call left in the directory. */
const MOMENT_MS = 15;
/**
 * Longest time that background work waits for calls before its next piece. Most calls end sooner, and the work must still progress under
 * load.
 */
const MOST_GIVEN_WAY_MS = 20;

/**
 * Tracks the calls that a store is running. Closing waits for these calls.
 *
 * Background changes of files stay out of the moment after an answer: a caller who measures or copies the directory then finds it at rest.
 */
export class CallsUnderWay {
  readonly #calls = new Set<Promise<unknown>>();
  readonly #waiting = new Set<() => void>();
  readonly #givingWay = new Set<() => void>();
  #change: Promise<unknown> | undefined;
  #lastEnd = Number.NEGATIVE_INFINITY;
  #isEnding = false;

  /** Runs a call and tracks it until both the call and any file change beside it are done. */
  async track<T>(work: () => Promise<T>): Promise<T> {
    const running = this.#besideChange(work());
    this.#calls.add(running);
    resume(this.#waiting);
    try {
      return await running;
    } finally {
      this.#calls.delete(running);
      this.#lastEnd = elapsedMs();
      if (this.#calls.size === 0) resume(this.#givingWay);
    }
  }

  get isAny(): boolean {
    return this.#calls.size > 0;
  }

  /**
   * Runs `change` beside a call, or once the last call ended a moment ago, but never in the moment after an answer. One change at a time.
   */
  async betweenAnswers<T>(change: () => Promise<T>): Promise<T> {
    await this.#moment();
    const changing = change();
    this.#change = changing;
    try {
      return await changing;
    } finally {
      this.#change = undefined;
    }
  }

  /** Resolves when no call is running, or after `MOST_GIVEN_WAY_MS`. For background work that would delay an answer. */
  async giveWay(): Promise<void> {
    if (this.#isEnding || !this.isAny) return;
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        clearTimeout(timer);
        this.#givingWay.delete(goOn);
        resolve();
      };
      const timer = setTimeout(goOn, MOST_GIVEN_WAY_MS);
      this.#givingWay.add(goOn);
    });
  }

  /** Resolves when no call is running. From now on no background work is delayed. */
  async end(): Promise<void> {
    this.#isEnding = true;
    resume(this.#waiting);
    resume(this.#givingWay);
    await Promise.allSettled(this.#calls);
  }

  async #besideChange<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } finally {
      // Bounded: a change that waits for another process must not delay the answer.
      if (this.#change !== undefined) await Promise.race([this.#change.catch(() => {}), sleep(MOMENT_MS)]);
    }
  }

  async #moment(): Promise<void> {
    const left = this.#lastEnd + MOMENT_MS - elapsedMs();
    if (this.#isEnding || this.#calls.size > 0 || left <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => resume(this.#waiting), left);
      this.#waiting.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

function resume(waiting: Set<() => void>): void {
  for (const goOn of waiting) goOn();
  waiting.clear();
}
