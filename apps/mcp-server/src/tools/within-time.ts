/** The longest that a contextd tool takes, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** An operation took longer than it may. What it began is not taken back. */
export class OutOfTime extends Error {
  override readonly name = "OutOfTime";
  readonly timeoutMs: number;
  readonly elapsedMs: number;
  /** What the caller can do. */
  readonly hint: string;

  constructor(timeoutMs: number, elapsedMs: number, hint: string) {
    super("The operation exceeded its timeout.");
    this.timeoutMs = timeoutMs;
    this.elapsedMs = elapsedMs;
    this.hint = hint;
  }
}

/**
 * Waits for `work`, but no longer than the timeout.
 *
 * @param hint what to do when that is over.
 * @throws OutOfTime; whatever `work` throws.
 */
export async function withinTime<T>(work: () => Promise<T>, hint: string, timeoutMs: number = TIMEOUT_MS): Promise<T> {
  const start = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const isOver = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new OutOfTime(timeoutMs, performance.now() - start, hint)), timeoutMs);
  });
  try {
    return await Promise.race([work(), isOver]);
  } finally {
    clearTimeout(timer);
  }
}
