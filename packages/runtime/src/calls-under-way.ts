import { setTimeout as sleep } from "node:timers/promises";
import { elapsedMs } from "@workrail/blob-files";

/** Longer than a caller needs to look at what a call has left in the directory. */
const MOMENT_MS = 15;
/** How long background work waits for calls to end before its next piece: most are done by then, and it must get on beside the others. */
const MOST_GIVEN_WAY_MS = 20;

/**
 * The calls that a store is at work on. Closing waits for them, and what changes files in the background keeps out of the way of those who have
 * just been answered: whoever then looks at the directory, to measure or to copy it, finds it at rest.
 */
export class CallsUnderWay {
  readonly #calls = new Set<Promise<unknown>>();
  readonly #waiting = new Set<() => void>();
  readonly #givingWay = new Set<() => void>();
  #change: Promise<unknown> | undefined;
  #lastEnd = Number.NEGATIVE_INFINITY;
  #isEnding = false;

  /** Counts as under way until it is done, and a change of files beside it is too. */
  async track<T>(work: () => Promise<T>): Promise<T> {
    const running = this.#besideChange(work());
    this.#calls.add(running);
    this.#goOn();
    try {
      return await running;
    } finally {
      this.#calls.delete(running);
      this.#lastEnd = elapsedMs();
      if (!this.isAny) resume(this.#givingWay);
    }
  }

  get isAny(): boolean {
    return this.#calls.size > 0;
  }

  /** Runs `change` beside a call, or when the last one ended a moment ago: never in the moment after an answer. One at a time. */
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

  /** Resolves when none is under way, or that has taken long enough: for pieces of work that would keep an answer waiting. */
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

  /** Resolves when none is under way; from now on nothing waits for a better moment. */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.#goOn();
    resume(this.#givingWay);
    await Promise.allSettled(this.#calls);
  }

  async #besideChange<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } finally {
      // One that waits for another process keeps nobody waiting.
      if (this.#change !== undefined) await Promise.race([this.#change.catch(() => {}), sleep(MOMENT_MS)]);
    }
  }

  async #moment(): Promise<void> {
    const left = this.#lastEnd + MOMENT_MS - elapsedMs();
    if (this.#isEnding || this.#calls.size > 0 || left <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.#goOn(), left);
      this.#waiting.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #goOn(): void {
    resume(this.#waiting);
  }
}

function resume(waiting: Set<() => void>): void {
  for (const goOn of waiting) goOn();
  waiting.clear();
}
