import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import type { Condensed } from "./live-context.ts";

export interface SizeWatchPorts {
  readonly maxTokens: number;
  tokens(): Promise<number>;
  /** Brings what is watched down to a budget, as far as that is possible. */
  condense(budgetTokens: number): Promise<Condensed | undefined>;
  onCondensed: ((condensed: Condensed) => void) | undefined;
  onFailed(error: unknown): void;
  /** Told what `onCondensed` or `onFailed` throws, which is no failure of condensing. */
  onListenerFailed(error: unknown): void;
}

const CONDENSE_FROM = 0.8;
/** Well below, so that not each step condenses again. */
const CONDENSE_TO = 0.5;
/** What could not be brought down is not tried again before it has grown by so much of the maximum. */
const GROWTH = 0.1;

/** Has what grows condensed when it comes near its maximum, in the background. */
export class SizeWatch {
  readonly #ports: SizeWatchPorts;
  #isTouched = false;
  #isClosed = false;
  #looking: Promise<void> | undefined;
  #condensing: Promise<Condensed | undefined> = Promise.resolve(undefined);
  /** What was left after the last time. */
  #leftTokens = 0;

  constructor(ports: SizeWatchPorts) {
    this.#ports = ports;
  }

  /** After each change. However many there are in a row, the size is looked at once. */
  touch(): void {
    this.#isTouched = true;
    if (!this.#isClosed) this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
  }

  /** One at a time: the second works on what the first has left. */
  condense(): Promise<Condensed | undefined> {
    this.#condensing = this.#condensing.catch(() => undefined).then(() => this.#condense());
    return this.#condensing;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#looking;
    await this.#condensing.catch(() => undefined);
  }

  async #look(): Promise<void> {
    await turnOfTheLoop();
    while (this.#isTouched && !this.#isClosed) {
      this.#isTouched = false;
      try {
        if (await this.#isDue()) await this.condense();
      } catch (error) {
        this.#tell(() => this.#ports.onFailed(error));
      }
    }
  }

  async #isDue(): Promise<boolean> {
    const { maxTokens } = this.#ports;
    const tokens = await this.#ports.tokens();
    return tokens >= Math.max(CONDENSE_FROM * maxTokens, this.#leftTokens + GROWTH * maxTokens);
  }

  async #condense(): Promise<Condensed | undefined> {
    const condensed = await this.#ports.condense(Math.floor(this.#ports.maxTokens * CONDENSE_TO));
    this.#leftTokens = condensed?.tokensAfter ?? (await this.#ports.tokens());
    if (condensed !== undefined) this.#tell(() => this.#ports.onCondensed?.(condensed));
    return condensed;
  }

  /** Nobody waits for what runs in the background: what a listener throws there, or rejects with, would end the process. */
  #tell(listener: () => unknown): void {
    const told = (async () => listener())();
    void told.catch((error: unknown) => this.#ports.onListenerFailed(error));
  }
}
