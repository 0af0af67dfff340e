/** Exit code of interrupted work without other faults. */
export const INTERRUPTED = 130;

/** Time after an interrupt until the process ends in any case. */
const GRACE_MS = 4_500;

/** Runs work that can be cancelled. The first interrupt asks it to end and report; the second ends the process, and so does a timeout. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = (): void => {
    controller.abort();
    // A second interrupt has no listener and ends the process.
    setTimeout(() => process.kill(process.pid, "SIGINT"), GRACE_MS).unref();
  };
  process.once("SIGINT", interrupt);
  try {
    return await work(controller.signal);
  } finally {
    process.off("SIGINT", interrupt);
  }
}

/**
 * Runs work that cannot report after cancelling: it cleans up and rejects with the signal's reason, and the process then ends by the
 * interrupt.
 */
export function unlessInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return untilInterrupted(async (signal) => {
    try {
      return await work(signal);
    } catch (error) {
      // The listener took the first interrupt; this one ends the process.
      if (signal.aborted && error === signal.reason) process.kill(process.pid, "SIGINT");
      throw error;
    }
  });
}
