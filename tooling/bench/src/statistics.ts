/** Summary of a series of measurements. */
export interface Summary {
  readonly count: number;
  readonly median: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
  readonly mean: number;
}

export function summarize(values: readonly number[]): Summary {
  const sorted = values.toSorted((left, right) => left - right);
  return {
    count: sorted.length,
    median: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    p99: quantile(sorted, 0.99),
    max: quantile(sorted, 1),
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
  };
}

/** Returns the smallest value that at least this share of all values does not exceed (nearest rank): always a measured value. */
export function quantile(sorted: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}
