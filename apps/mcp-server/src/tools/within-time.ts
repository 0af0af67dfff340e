/** Timeout of a contextd tool, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** An operation exceeded its timeout. Its effects are not undone. */
export class OutOfTime extends Error {
  override readonly name = "OutOfTime";
  readonly timeoutMs: number;
  readonly elapsedMs: number;
  /** Advice for the caller. */
  readonly hint: string;

  constructor(timeoutMs: number, elapsedMs: number, hint: string) {
    super("The operation exceeded its timeout.");
    this.timeoutMs = timeoutMs;
    this.elapsedMs = elapsedMs;
    this.hint = hint;
  }
}

/**
 * Waits for `work`, at most for the timeout.
 *
 * @param hint advice for the caller after the timeout.
 * @throws OutOfTime; errors of `work`.
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
