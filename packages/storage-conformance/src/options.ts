/** Extent of random tests. An environment variable overrides each option, so that a run can try more, or repeat another run. */
export interface ConformanceOptions {
  /** Generated contexts of the property test, default 1,000 (`WORKRAIL_CONFORMANCE_RUNS`); other generated tests run a share of it. */
  readonly runs?: number;
  /** Processes killed at random moments, default 10 (`WORKRAIL_CONFORMANCE_KILLS`). */
  readonly kills?: number;
  /** Processes that save to one session at the same time, default 8 (`WORKRAIL_CONFORMANCE_SAVERS`). */
  readonly savers?: number;
  /** Operations of the one long random history, default 500 (`WORKRAIL_CONFORMANCE_OPERATIONS`). */
  readonly operations?: number;
  /**
   * Seed of all random choices (`WORKRAIL_CONFORMANCE_SEED`). The default is always the same, so that a failed test fails
   * again. Another seed tries other cases; a failure names its seed.
   */
  readonly seed?: number;
  /**
   * Strikes every file operation with faults, default true (`WORKRAIL_CONFORMANCE_FAULTS`, 0 or 1). False suits an adapter whose file
   * operations another adapter's run already strikes.
   */
  readonly faults?: boolean;
}

const DEFAULT_SEED = 1;

/** Completes options with defaults; environment variables take precedence. */
export function completeOptions(options: ConformanceOptions = {}): Required<ConformanceOptions> {
  return {
    runs: fromEnvironment("RUNS") ?? options.runs ?? 1_000,
    operations: fromEnvironment("OPERATIONS") ?? options.operations ?? 500,
    kills: fromEnvironment("KILLS") ?? options.kills ?? 10,
    savers: fromEnvironment("SAVERS") ?? options.savers ?? 8,
    seed: fromEnvironment("SEED") ?? options.seed ?? DEFAULT_SEED,
    faults: Boolean(fromEnvironment("FAULTS") ?? options.faults ?? true),
  };
}

function fromEnvironment(name: string): number | undefined {
  const text = process.env[`WORKRAIL_CONFORMANCE_${name}`];
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`WORKRAIL_CONFORMANCE_${name} must be a whole number, not ${JSON.stringify(text)}.`);
}
