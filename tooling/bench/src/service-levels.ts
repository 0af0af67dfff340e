import type { Results } from "./results.ts";
import type { Summary } from "./statistics.ts";
import { KB } from "./suites/library.ts";

/** A goal of the specification, in milliseconds. */
export interface ServiceLevel {
  readonly operation: string;
  /** Name of the corresponding measurement. */
  readonly measuredAs: string;
  readonly goal: { readonly median: number; readonly p95: number; readonly p99: number; readonly max: number };
  /** `undefined` when it was not measured in this run, or cannot be measured. */
  readonly measured: Summary | undefined;
}

/** Returns the table "Performance SLAs" of the specification with the measurements of this run. */
export function serviceLevels({ library, codec, context, listing }: Results): readonly ServiceLevel[] {
  const average = library?.filter((row) => row.contextBytes === 100 * KB && row.checkpoints === 100);
  const hundred = context?.filter((row) => row.contextBytes === 100 * KB);
  return [
    {
      operation: "Checkpoint Save (avg ctx)",
      measuredAs: "save 100 KB",
      goal: { median: 50, p95: 100, p99: 200, max: 1_000 },
      measured: average?.find((row) => row.operation === "save")?.measured,
    },
    {
      operation: "Checkpoint Load (avg ctx)",
      measuredAs: "load latest 100 KB",
      goal: { median: 100, p95: 500, p99: 1_000, max: 5_000 },
      measured: average?.find((row) => row.operation === "load latest")?.measured,
    },
    {
      operation: "Compression (100KB)",
      measuredAs: "gzip of 100 KB",
      goal: { median: 10, p95: 20, p99: 50, max: 100 },
      measured: codec?.measured,
    },
    {
      operation: "Compression (100KB)",
      measuredAs: "100 KB compressed to 2,000 tokens",
      goal: { median: 10, p95: 20, p99: 50, max: 100 },
      measured: hundred?.find((row) => row.operation === "compress")?.measured,
    },
    {
      operation: "Classification",
      measuredAs: "every entry of 100 KB",
      goal: { median: 1, p95: 5, p99: 10, max: 50 },
      measured: hundred?.find((row) => row.operation === "classify")?.measured,
    },
    {
      operation: "Metadata Query (indexed)",
      measuredAs: "page of 20 among 10,000",
      goal: { median: 5, p95: 10, p99: 20, max: 100 },
      measured: listing?.ofProject.measured,
    },
  ];
}
