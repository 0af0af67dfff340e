import { CLEARED_LINE } from "./print.ts";

/** Interval at which the line is redrawn. */
const EVERY_MS = 100;

/** Progress of long work. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

/**
 * Shows the progress of long work in a line on standard error, which is cleared afterwards. Shows nothing without a terminal.
 *
 * @param what label of the counted items, or a function that formats the line.
 * @param work receives the progress callback, or `undefined` without a terminal.
 */
export async function showingProgress<T, P extends Progress>(
  what: string | ((progress: P) => string),
  work: (tell: ((progress: P) => void) | undefined) => Promise<T>,
): Promise<T> {
  const { stderr } = process;
  if (!stderr.isTTY) return work(undefined);
  const lineOf = typeof what === "string" ? counting(what) : what;
  let drawnAt = -Infinity;
  const tell = (progress: P): void => {
    const now = performance.now();
    if (now - drawnAt < EVERY_MS && progress.done < progress.total) return;
    drawnAt = now;
    stderr.write(`\r${lineOf(progress)}\u001b[K`);
  };
  try {
    return await work(tell);
  } finally {
    if (drawnAt !== -Infinity) stderr.write(CLEARED_LINE);
  }
}

/** Formats the progress of work in phases, each with its own label. */
export function countingByPhase<Phase extends string>(
  names: Readonly<Record<Phase, string>>,
): (progress: Progress & { readonly phase: Phase }) => string {
  return ({ phase, ...progress }) => counting(names[phase])(progress);
}

function counting(what: string): (progress: Progress) => string {
  return ({ done, total }) => `${what} ${done} of ${total}`;
}
