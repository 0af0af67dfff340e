/** How much is tried. Each is overruled by an environment variable, so that one run can do more, or repeat another. */
export interface ConformanceOptions {
  /** Generated contexts of the property test, default 1,000 (`WORKRAIL_CONFORMANCE_RUNS`); other generated tests do a share of it. */
  readonly runs?: number;
  /** Processes killed at random moments, default 10 (`WORKRAIL_CONFORMANCE_KILLS`). */
  readonly kills?: number;
  /** Operations of the one long random history, default 500 (`WORKRAIL_CONFORMANCE_OPERATIONS`). */
  readonly operations?: number;
  /**
   * What all chance is drawn from, default always the same, so that a test that failed fails again
   * (`WORKRAIL_CONFORMANCE_SEED`). Another one tries other things; a failure names it.
   */
  readonly seed?: number;
  /**
   * Beyond the first 20 file operations of a piece of work faults strike at each so-manieth, default 1, at each
   * (`WORKRAIL_CONFORMANCE_STRIDE`). With more than 1 what a rebuild makes of them is looked at after each third.
   */
  readonly stride?: number;
}

const DEFAULT_SEED = 1;

/** What is tried when nothing else is said, and what the environment says. */
export function completeOptions(options: ConformanceOptions = {}): Required<ConformanceOptions> {
  return {
    runs: fromEnvironment("RUNS") ?? options.runs ?? 1_000,
    operations: fromEnvironment("OPERATIONS") ?? options.operations ?? 500,
    kills: fromEnvironment("KILLS") ?? options.kills ?? 10,
    seed: fromEnvironment("SEED") ?? options.seed ?? DEFAULT_SEED,
    stride: Math.max(1, fromEnvironment("STRIDE") ?? options.stride ?? 1),
  };
}

function fromEnvironment(name: string): number | undefined {
  const text = process.env[`WORKRAIL_CONFORMANCE_${name}`];
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`WORKRAIL_CONFORMANCE_${name} must be a whole number, not ${JSON.stringify(text)}.`);
}
