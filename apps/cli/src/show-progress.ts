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
 * @param work is given what it is to call, now and then, or `undefined` when nobody looks.
 */
export async function showingProgress<T>(what: string, work: (tell: ((progress: Progress) => void) | undefined) => Promise<T>): Promise<T> {
  const { stderr } = process;
  if (!stderr.isTTY) return work(undefined);
  let drawnAt = -Infinity;
  const tell = ({ done, total }: Progress): void => {
    const now = performance.now();
    if (now - drawnAt < EVERY_MS && done < total) return;
    drawnAt = now;
    stderr.write(`\r${what} ${done} of ${total}\u001b[K`);
  };
  try {
    return await work(tell);
  } finally {
    stderr.write(CLEARED_LINE);
  }
}
