/**
 * Runs all steps one after another, even when some fail. For steps that must not be skipped, such as those that close a store.
 *
 * @throws the first error; later ones mostly follow from it.
 */
export async function runAll(steps: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * Runs `work`, then `end` even when `work` failed. Unlike in a `finally` block, a failing `end` never hides the error of `work`.
 *
 * @throws the error of `work`, else that of `end`.
 */
export async function runFinally<T>(work: () => Promise<T>, end: () => unknown): Promise<T> {
  let result: T | undefined;
  await runAll([
    async () => {
      result = await work();
    },
    end,
  ]);
  return result as T;
}
