/**
 * Runs steps of which none may be left out because another failed, such as those that close a store, one after another.
 *
 * @throws what the first that failed did; the others mostly follow from that.
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
 * Runs `work`, then `end` whether or not `work` failed. Unlike a `finally` block, an `end` that fails never hides why `work` did.
 *
 * @throws the error of `work`, else that of `end`.
 */
export async function runThen<T>(work: () => Promise<T>, end: () => unknown): Promise<T> {
  let result: T | undefined;
  await runAll([
    async () => {
      result = await work();
    },
    end,
  ]);
  return result as T;
}
