import { CLEARED_LINE } from "./print.ts";

/** So often the line is drawn anew. */
const EVERY_MS = 100;

/** How far some long work is. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

/**
 * Shows how far long work is, in a line on standard error that is gone afterwards. Where that is no terminal, nothing is shown.
 *
 * @param what is counted, or how a line says how far it is.
 * @param work is given what it is to call, now and then, or `undefined` when nobody looks.
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

/** For work of several phases, each with a name for what is counted in it. */
export function countingByPhase<Phase extends string>(
  names: Readonly<Record<Phase, string>>,
): (progress: Progress & { readonly phase: Phase }) => string {
  return ({ phase, ...progress }) => counting(names[phase])(progress);
}

function counting(what: string): (progress: Progress) => string {
  return ({ done, total }) => `${what} ${done} of ${total}`;
}
