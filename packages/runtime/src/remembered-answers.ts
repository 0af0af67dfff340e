import type { Condenser, Digester } from "@workrail/core";

/** Each answer is a few kilobytes. */
const MOST_ANSWERS = 64;

/**
 * Wraps a condenser with a cache for the life of the process, because the same context is often shortened repeatedly. Inputs are kept as
 * digests only; failures are not cached.
 */
export function rememberingAnswers(condenser: Condenser, digests: Digester): Condenser {
  const answers = new Map<string, Promise<string>>();
  return {
    name: condenser.name,
    condense(text, budgetTokens, focus) {
      const key = digests.sha256(JSON.stringify([text, budgetTokens, focus ?? null]));
      const known = answers.get(key);
      // Moves the entry to the end of the LRU order.
      answers.delete(key);
      const answer = known ?? condenser.condense(text, budgetTokens, focus);
      answers.set(key, answer);
      answer.catch(() => {
        if (answers.get(key) === answer) answers.delete(key);
      });
      const [oldest] = answers.keys();
      if (answers.size > MOST_ANSWERS && oldest !== undefined) answers.delete(oldest);
      return answer;
    },
  };
}
