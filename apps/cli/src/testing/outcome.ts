/** Result of a command. */
export interface Outcome {
  /** `null` after a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Both outputs in the order in which they were written, where they imitate a terminal. */
  readonly screen?: string;
}
