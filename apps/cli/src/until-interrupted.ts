/** The exit code of what was ended early, and has nothing worse to tell. */
export const INTERRUPTED = 130;

/** Whatever hangs, an interrupt ends the process after this long. */
const GRACE_MS = 4_500;

/** Runs what can be ended early: the first interrupt asks it to end and report, the second ends the process, and so does time. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = (): void => {
    controller.abort();
    // Nobody listens to the second.
    setTimeout(() => process.kill(process.pid, "SIGINT"), GRACE_MS).unref();
  };
  process.once("SIGINT", interrupt);
  try {
    return await work(controller.signal);
  } finally {
    process.off("SIGINT", interrupt);
  }
}

/** The same of what cannot report: it rejects with the signal's reason once it has tidied up, and the process ends by the interrupt. */
export function unlessInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return untilInterrupted(async (signal) => {
    try {
      return await work(signal);
    } catch (error) {
      // The first one was listened to; this one is not.
      if (signal.aborted && error === signal.reason) process.kill(process.pid, "SIGINT");
      throw error;
    }
  });
}
