/** Result of a command. */
export interface Outcome {
  /** `null` after a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
