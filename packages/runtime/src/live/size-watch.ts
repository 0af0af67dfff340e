import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Condensed } from "./live-context.ts";

export interface SizeWatchPorts {
  readonly maxTokens: number;
  tokens(): Promise<number>;
  /** Condenses the context down to the budget, as far as possible. */
  condense(budgetTokens: number): Promise<Condensed | undefined>;
  onCondensed: ((condensed: Condensed) => void) | undefined;
  onFailed(error: unknown): void;
  /** Called with errors that `onCondensed` or `onFailed` throw, which are not failures of condensing. */
  onListenerFailed(error: unknown): void;
}

const CONDENSE_FROM = 0.8;
/** Well below `CONDENSE_FROM`, so that not every step condenses again. */
const CONDENSE_TO = 0.5;
/** Growth, as share of the maximum, before a context that could not be reduced is tried again. */
const GROWTH = 0.1;

/** Condenses a growing context in the background when its size comes near the maximum. */
export class SizeWatch {
  readonly #ports: SizeWatchPorts;
  #isTouched = false;
  #isClosed = false;
  #looking: Promise<void> | undefined;
  #condensing: Promise<Condensed | undefined> = Promise.resolve(undefined);
  /** Tokens left after the last condensing. */
  #leftTokens = 0;

  constructor(ports: SizeWatchPorts) {
    this.#ports = ports;
  }

  /** Called after each change. Many changes in a row lead to one check of the size. */
  touch(): void {
    this.#isTouched = true;
    if (!this.#isClosed) this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
  }

  /** Runs one at a time: the second call works on the result of the first. */
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
    await yieldToEventLoop();
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

  /** Calls a listener and catches its error: an unhandled rejection in the background would end the process. */
  #tell(listener: () => unknown): void {
    const told = (async () => listener())();
    void told.catch((error: unknown) => this.#ports.onListenerFailed(error));
  }
}
