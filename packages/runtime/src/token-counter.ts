import { setImmediate as turn } from "node:timers/promises";
import type { TokenCounter } from "@workrail/core";
import { type CountSteps, loadO200k } from "@workrail/o200k";
import { RecentCounts } from "./recent-counts.ts";

export const TOKENIZERS = ["o200k", "claude-estimate"] as const;

/**
 * `o200k`: the encoding of current OpenAI models, counted exactly. `claude-estimate`: an estimate for Claude models, whose tokenizer is not
 * public.
 */
export type TokenizerName = (typeof TOKENIZERS)[number];

/** Returns the process-wide counter of a kind; its tables take megabytes. */
export function tokenCounter(name: TokenizerName): TokenCounter {
  return name === "o200k" ? o200kTokens : claudeEstimate;
}

/** Loads 2 MB of tables. */
async function o200kSteps(): Promise<CountSteps> {
  return (await loadO200k()).steps;
}

/**
 * Estimates tokens of Claude models. By Anthropic's glossary one token is about 3.5 characters of English. Code, numbers and JSON take more
 * tokens than prose, as in o200k, so the larger of the two counts is used. Characters are counted as UTF-8 bytes: equal for English, and
 * closer for other scripts.
 */
async function loadClaudeEstimate(): Promise<CountSteps> {
  const o200k = await o200kSteps();
  return function* (text) {
    return Math.max(yield* o200k(text), Math.ceil(Buffer.byteLength(text) / CLAUDE_BYTES_A_TOKEN));
  };
}

const CLAUDE_BYTES_A_TOKEN = 3.5;

const o200kTokens = countingInTurns(o200kSteps);
const claudeEstimate = countingInTurns(loadClaudeEstimate);

/** Returns a counter that yields to other work in long texts and caches the counts of short ones. */
export function countingInTurns(load: () => Promise<CountSteps>): TokenCounter {
  let loaded: Promise<CountSteps> | undefined;
  const known = new RecentCounts();
  // Retries after a failed load.
  const tables = (): Promise<CountSteps> =>
    (loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    }));
  return {
    async load() {
      const count = await tables();
      return (text) => known.get(text) ?? known.set(text, atOnce(count(text)));
    },
    async count(text) {
      const count = await tables();
      return known.get(text) ?? known.set(text, await inTurns(count(text)));
    },
  };
}

function atOnce(steps: Generator<void, number>): number {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

async function inTurns(steps: Generator<void, number>): Promise<number> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await turn();
  }
}
