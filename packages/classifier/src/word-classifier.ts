import { type Classification, type Classifier, type Context, inTurns, type JsonValue, type Steps, wordsOf } from "@workrail/core";
import { classifyEntry } from "./classify-entry.ts";
import { isOneOf } from "./word-roles.ts";

/**
 * Classifies entries by the words of their keys and the form of their values. Deterministic; no context makes it fail or slow,
 * because only a part of long keys and values is read.
 */
export const wordClassifier: Classifier = { classify: (context, keys) => inTurns(classifySteps(context, keys)) };

function* classifySteps(context: Context, keys: readonly string[]): Steps<ReadonlyMap<string, Classification>> {
  const classified = new Map<string, Classification>();
  for (const key of keys) {
    classified.set(key, classifyEntry(key, context[key] ?? null));
    yield;
  }
  keepCounters(context, classified);
  return classified;
}

/**
 * Raises bare counters (`iteration`, `retries`) from EPHEMERAL to IMPORTANT when other keys of the context tell of a running
 * loop.
 */
function keepCounters(context: Context, classified: Map<string, Classification>): void {
  const counters = [...classified].filter(([key, { layer }]) => layer === "EPHEMERAL" && isCounter(key, context[key]));
  if (counters.length === 0 || !Object.keys(context).some((key) => TELLS_OF_LOOP.test(key))) return;
  for (const [key] of counters) classified.set(key, { layer: "IMPORTANT", confidence: 0.5, why: "a counter of a running loop" });
}

function isCounter(key: string, value: JsonValue | undefined): boolean {
  const words = wordsOf(key.slice(0, LONGEST_COUNTER));
  return (
    typeof value === "number" &&
    words.length <= 2 &&
    isOneOf(COUNTERS, words[0] ?? "") &&
    (words.length === 1 || COUNTED.has(words[1] ?? ""))
  );
}

const LONGEST_COUNTER = 40;
const COUNTERS: ReadonlySet<string> = new Set([
  "i",
  "n",
  "iteration",
  "iter",
  "attempt",
  "retry",
  "round",
  "index",
  "counter",
  "cycle",
  "pass",
  "turn",
  "offset",
  "cursor",
  "position",
]);
const COUNTED: ReadonlySet<string> = new Set(["count", "number", "counter", "index"]);
const TELLS_OF_LOOP = /loop|workflow|(?:current|next|completed|remaining|pending)[ _.-]?(?:step|phase|stage|task|item)/i;
