/** The web globals for time that every JavaScript runtime has. Neither the DOM nor the Node types are visible to core. */
declare const performance: { now(): number };
declare const setTimeout: (work: () => void, afterMs: number) => unknown;

/** Long work that can pause wherever it yields, which happens every few milliseconds. Its input must not change meanwhile. */
export type Steps<T> = Generator<void, T>;

/** Longest delay for other work: short enough that a person does not notice. */
const TURN_MS = 10;

/** Runs the steps and yields to other work regularly. Short work runs without a pause. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (let since = elapsedMs(); ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (elapsedMs() - since < TURN_MS) continue;
    await yieldToEventLoop();
    since = elapsedMs();
  }
}

/** Returns a function for loops that cannot be steps: it yields to other work when the last yield is long enough ago. */
export function takingTurns(): () => Promise<void> {
  let since = elapsedMs();
  return async () => {
    if (elapsedMs() - since < TURN_MS) return;
    await yieldToEventLoop();
    since = elapsedMs();
  };
}

/** Runs all steps without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Monotonic milliseconds, for measuring durations only. */
function elapsedMs(): number {
  return performance.now();
}

/** Yields to other work. */
export function yieldToEventLoop(): Promise<void> {
  return after(0);
}

/** Resolves after a delay. */
export async function after(ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });
}
