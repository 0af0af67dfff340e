import type { Condenser, Digester } from "@workrail/core";

/** Answers are a few kilobytes each. */
const MOST_ANSWERS = 64;

/**
 * The same condenser, not asked twice for the same while the process runs: a context is often made to fit again and again.
 * What it was given is kept as a digest only, and failures are not kept.
 */
export function rememberingAnswers(condenser: Condenser, digests: Digester): Condenser {
  const answers = new Map<string, Promise<string>>();
  return {
    name: condenser.name,
    condense(text, budgetTokens, focus) {
      const key = digests.sha256(JSON.stringify([text, budgetTokens, focus ?? null]));
      const known = answers.get(key);
      // Behind the others again, as the last that is forgotten.
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
