export interface Timing {
  readonly count: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

/** Collects the durations of calls of one kind. */
export class Timings {
  readonly #ms: number[] = [];

  async time<T>(work: () => Promise<T>): Promise<T> {
    const started = performance.now();
    const result = await work();
    this.#ms.push(performance.now() - started);
    return result;
  }

  get summary(): Timing {
    return { count: this.#ms.length, medianMs: this.#quantile(0.5), p95Ms: this.#quantile(0.95) };
  }

  #quantile(share: number): number {
    const sorted = this.#ms.toSorted((left, right) => left - right);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  }
}
