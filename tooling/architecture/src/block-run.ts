/** An example that runs. */
export interface BlockRun {
  /** Directory from which it imports, and in which it runs. */
  readonly cwd: string;
  readonly text: string;
}

/** End of an example, as of a process. */
export interface BlockOutcome {
  readonly status: number;
  readonly stderr: string;
}
