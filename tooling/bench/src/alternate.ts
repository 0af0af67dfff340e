import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { type Summary, summarize } from "./statistics.ts";

/** Stop condition of a measurement: `most` samples, or `forMs` with at least `fewest` samples. */
export interface Effort {
  readonly fewest: number;
  readonly most: number;
  readonly forMs: number;
}

/** Times are milliseconds. */
export interface Timing extends Summary {
  /** Average processor time of one call over all threads of this process. */
  readonly cpuMs: number;
}

export interface Comparison {
  readonly floor: Timing;
  readonly measured: Timing;
  /** Median over the floor's median. */
  readonly ratio: number;
  /** 99th percentile over the floor's. */
  readonly p99Ratio: number;
}

/** One call. `sample` counts from 0 and identifies the call. */
export type Call = (sample: number) => unknown;

export interface Contest {
  readonly floor: Call;
  readonly measured: Call;
  /** Runs before each call, outside of the measurement. */
  readonly before?: Call;
  /** Runs at intervals, outside of the measurement: lets the measured side finish its background work. */
  readonly rest?: () => Promise<void>;
}

const WARM_UP_SHARE = 0.1;
const WARM_UP_MOST = 30;
/** Below the number of saves after which the library compacts without a pause. */
const CALLS_BETWEEN_RESTS = 50;
/** Below the pause after which the library compacts: a slow floor is a pause for the other side. */
const MS_BETWEEN_RESTS = 200;

/** Measures two ways of doing the same in turns, so that other load of the machine affects both equally. */
export async function alternate(effort: Effort, { floor, measured, before, rest }: Contest): Promise<Comparison> {
  const warmUp = Math.min(WARM_UP_MOST, Math.ceil(effort.most * WARM_UP_SHARE));
  const sides = [new Side(floor), new Side(measured)] as const;
  let restedAt = performance.now();
  for (let sample = 0; sample < effort.most + warmUp; sample++) {
    if (sample === warmUp) for (const side of sides) side.forget();
    if (sample >= effort.fewest + warmUp && sides[0].spentMs + sides[1].spentMs > effort.forMs) break;
    if (rest !== undefined && (sample % CALLS_BETWEEN_RESTS === 0 || performance.now() - restedAt > MS_BETWEEN_RESTS)) {
      await rest();
      restedAt = performance.now();
    }
    // The second side finds warmer caches, and the garbage of the first.
    for (const side of sample % 2 === 0 ? sides : sides.toReversed()) {
      await before?.(sample);
      await yieldToEventLoop();
      await side.take(sample);
    }
  }
  return compare(sides[0].timing(), sides[1].timing());
}

export function compare(floor: Timing, measured: Timing): Comparison {
  return { floor, measured, ratio: measured.median / floor.median, p99Ratio: measured.p99 / floor.p99 };
}

class Side {
  readonly #call: Call;
  #times: number[] = [];
  #cpuMs = 0;

  constructor(call: Call) {
    this.#call = call;
  }

  async take(sample: number): Promise<void> {
    const cpu = process.cpuUsage();
    const started = performance.now();
    const result = this.#call(sample);
    // A synchronous call must not pay for a turn of the queue.
    if (result instanceof Promise) await result;
    this.#times.push(performance.now() - started);
    const { user, system } = process.cpuUsage(cpu);
    this.#cpuMs += (user + system) / 1_000;
  }

  get spentMs(): number {
    return this.#times.reduce((sum, time) => sum + time, 0);
  }

  forget(): void {
    this.#times = [];
    this.#cpuMs = 0;
  }

  timing(): Timing {
    return { ...summarize(this.#times), cpuMs: this.#cpuMs / this.#times.length };
  }
}
