import { setImmediate as turn } from "node:timers/promises";
import type { CountTokens, TokenCounter } from "@workrail/core";
import { countingPieces } from "./count-pieces.ts";
import { RecentCounts } from "./recent-counts.ts";
import { splitForCounting } from "./split-for-counting.ts";

export const TOKENIZERS = ["o200k", "claude-estimate"] as const;

/**
 * `o200k`: the encoding of current OpenAI models, counted exactly.
 * `claude-estimate`: what Claude models would count, roughly; their tokenizer is not public.
 */
export type TokenizerName = (typeof TOKENIZERS)[number];

/** One counter of a kind for the whole process, since its tables take megabytes. */
export function tokenCounter(name: TokenizerName): TokenCounter {
  return name === "o200k" ? o200kTokens : claudeEstimate;
}

/** Loaded, 2 MB of tables, when first needed. */
async function loadO200k(): Promise<CountTokens> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  // Text that looks like a special token is text all the same.
  const options = { disallowedSpecial: new Set<string>() };
  return countingPieces((text) => countTokens(text, options));
}

/**
 * Anthropic's glossary has a token of Claude stand for about 3.5 characters of English. Code, numbers and JSON take more
 * tokens than prose does, as they do in o200k, so the larger of the two counts. Characters are counted as bytes of UTF-8:
 * the same for English, and closer for other scripts.
 */
async function loadClaudeEstimate(): Promise<CountTokens> {
  const o200k = await loadO200k();
  return (text) => Math.max(o200k(text), Math.ceil(Buffer.byteLength(text) / CLAUDE_BYTES_A_TOKEN));
}

const CLAUDE_BYTES_A_TOKEN = 3.5;

/** Counted in one go: some two milliseconds. */
const CHUNK_CHARACTERS = 16_384;

const o200kTokens = countingInChunks(loadO200k);
const claudeEstimate = countingInChunks(loadClaudeEstimate);

/** Counts long texts in pieces and remembers short ones. */
export function countingInChunks(load: () => Promise<CountTokens>): TokenCounter {
  let loaded: Promise<CountTokens> | undefined;
  const known = new RecentCounts();
  // What failed to load is tried again.
  const tables = (): Promise<CountTokens> =>
    (loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    }));
  return {
    async load() {
      const count = await tables();
      return (text) => known.get(text) ?? known.set(text, countWhole(text, count));
    },
    async count(text) {
      const count = await tables();
      return known.get(text) ?? known.set(text, await countInTurns(text, count));
    },
  };
}

function countWhole(text: string, count: CountTokens): number {
  if (text.length < SURELY_SHORT) return count(text);
  let sum = 0;
  for (const chunk of splitForCounting(text, CHUNK_CHARACTERS)) sum += count(chunk);
  return sum;
}

async function countInTurns(text: string, count: CountTokens): Promise<number> {
  let sum = 0;
  let sinceTurn = 0;
  for (const chunk of splitForCounting(text, CHUNK_CHARACTERS)) {
    sum += count(chunk);
    sinceTurn += chunk.length;
    if (sinceTurn < CHUNK_CHARACTERS * CHUNKS_A_TURN) continue;
    sinceTurn = 0;
    await turn();
  }
  return sum;
}

/** Too short for any run that would be cut. */
const SURELY_SHORT = 256;

/** Some ten milliseconds. */
const CHUNKS_A_TURN = 4;
