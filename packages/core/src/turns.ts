import { elapsedMs, othersTurn } from "./platform.ts";

/**
 * Work that may take long, and can be left for a moment wherever it yields: a few milliseconds from one place to the next.
 * What it works on must not change meanwhile.
 */
export type Steps<T> = Generator<void, T>;

/** For how long other work may be held up: no more than a person notices. */
const TURN_MS = 10;

/** Does it, and lets other work have its turn every so often. Short work is done in one go. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (let since = elapsedMs(); ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (elapsedMs() - since < TURN_MS) continue;
    await othersTurn();
    since = elapsedMs();
  }
}

/** For loops that cannot be steps: gives other work its turn, where the last one is long enough ago. */
export function takingTurns(): () => Promise<void> {
  let since = elapsedMs();
  return async () => {
    if (elapsedMs() - since < TURN_MS) return;
    await othersTurn();
    since = elapsedMs();
  };
}

/** Does it in one go. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
