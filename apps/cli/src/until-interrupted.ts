/** The exit code of what was ended early, and has nothing worse to tell. */
export const INTERRUPTED = 130;

/** Runs what can be ended early: the first interrupt asks it to end and report, the second ends the process. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort();
  process.once("SIGINT", interrupt);
  try {
    return await work(controller.signal);
  } finally {
    process.off("SIGINT", interrupt);
  }
}
