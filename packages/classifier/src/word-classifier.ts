import {
  type Classification,
  type Classifier,
  type Context,
  inTurns,
  isJsonObject,
  type JsonValue,
  singularsOf,
  type Steps,
  wordsOf,
} from "@workrail/core";
import { isOneOf } from "./find-head.ts";
import { classifyWords } from "./classify-key.ts";
import { byBinding, byDecision, classifyValue } from "./classify-value.ts";
import { inEnglish } from "./in-english.ts";
import { isNoise, isSentence } from "./noise.ts";
import { firstMembers, isRich, sampleText } from "./value-shape.ts";
import { OPAQUE, THROWAWAY, TWO_FACED, WHEN_RICH } from "./vocabulary.ts";

/**
 * Classifies entries by the words of their keys and the form of their values. Deterministic. Reads only a part of long keys and values, so
 * no context makes it fail or slow.
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

/** Raises bare counters (`iteration`, `retries`) from EPHEMERAL to IMPORTANT when another key of the context names a running loop. */
function keepCounters(context: Context, classified: Map<string, Classification>): void {
  const counters = [...classified].filter(([key, { layer }]) => layer === "EPHEMERAL" && isCounter(key, context[key]));
  if (counters.length === 0 || !Object.keys(context).some((key) => NAMES_LOOP.test(key))) return;
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
const NAMES_LOOP = /loop|workflow|(?:current|next|completed|remaining|pending)[ _.-]?(?:step|phase|stage|task|item)/i;

/** Classifies one entry by the words of its key, then by its value, then as USEFUL. Reads only a part of long keys and values. */
export function classifyEntry(key: string, value: JsonValue): Classification {
  const words = inEnglish(wordsOf(key), value);
  // A sentence under `tmp1` is rarely temporary: the name was chosen in haste.
  const isHasty = words.length === 1 && THROWAWAY.has(words[0] ?? "") && typeof value === "string" && isRich(value);
  const isOpaque = isHasty || words.every((word) => OPAQUE.has(word));
  if (!isOpaque) {
    const told = classifyWords(words, value);
    if (told?.layer === "EPHEMERAL" && !isNoise(words, value)) return byContent(words, value);
    const decided = told?.layer === "CRITICAL" ? told : byDecision(words, value);
    if (decided !== undefined) return decided;
    if (told !== undefined) return byBinding(value) ?? told;
  }
  return classifyValue(value, isOpaque) ?? byDefault(key, value, isOpaque);
}

/** Classifies a substantial value under an ephemeral name by its content, by default as USEFUL or IMPORTANT. */
function byContent(words: readonly string[], value: JsonValue): Classification {
  const head = singularsOf(words.at(-1) ?? "").find((form) => TWO_FACED.has(form)) ?? "";
  // A date or time set by a person, such as a cutover window.
  if (head === "window" && WHEN.test(sampleText(value))) return { layer: "CRITICAL", confidence: 0.4, why: "a window with dates or times" };
  const told = classifyValue(value, true);
  if (told !== undefined && (told.layer !== "USEFUL" || told.confidence > 0.55)) return told;
  const layer = WHEN_RICH.get(head) ?? (isProse(value) ? "IMPORTANT" : "USEFUL");
  return { layer, confidence: 0.4, why: "more detailed than its key suggests" };
}

/** Tells whether the value is a sentence, a list of sentences or an object with a sentence. */
function isProse(value: JsonValue): boolean {
  if (isJsonObject(value)) return firstMembers(value).some((member) => typeof member === "string" && isSentence(member));
  const texts = Array.isArray(value) ? firstMembers(value) : [value];
  return texts.length > 0 && texts.every((text) => typeof text === "string" && isSentence(text));
}

const WHEN = /\d{4}-\d{2}-\d{2}|\b\d{1,2}:\d{2}\b/;

function byDefault(key: string, value: JsonValue, isOpaque: boolean): Classification {
  // A boolean under a meaningful name controls the next step; so does a level.
  if (typeof value === "string" && !isOpaque && LEVEL.test(value)) return { layer: "IMPORTANT", confidence: 0.4, why: "a level" };
  if (typeof value === "boolean" && !isOpaque) return { layer: "IMPORTANT", confidence: 0.4, why: "a switch" };
  if (typeof value === "number" && isIndex(key)) return { layer: "EPHEMERAL", confidence: 0.5, why: "a counter" };
  return { layer: "USEFUL", confidence: 0.3, why: "default" };
}

const LEVEL =
  /^(?:very[ _-])?(?:none|minimal|low|medium|moderate|high|critical|partial|partially|full|complete|quick|light|standard|thorough|deep|shallow|strict|lenient|auto|automatic|manual|guided|blocked|ready|not[ _-]ready)$/i;

/** Tells whether the key is a typical loop index. */
function isIndex(key: string): boolean {
  return /^[ijkmn]$/i.test(key);
}

/**
 * Entries that warm up the classifier, one of each kind. A JavaScript engine compiles functions and regular expressions on first
 * use, which takes over a thousand times as long as a later classification. Without the warm-up, the first entries of a user
 * would pay for that.
 */
const WARM_UP: readonly (readonly [key: string, value: JsonValue])[] = [
  ["userGoal", "goal"],
  ["seedThings", ["one of", "two"]],
  ["note", "Step 2: the tests must pass"],
  ["note", "Batch 3 of 4"],
  ["note", "Both pumps failed at noon."],
  ["note", "user: hello\nThis: is; a (sample)\nGET /a 200"],
  ["note", "queue 1, worker idle"],
  ["someThings", "high"],
  ["someThings", ["zep", "headroom"]],
  ["someThings", "There are four of them now"],
  ["planFindings", ["one", "two"]],
  ["planFindings", `diff --git a/a b/a\n${"+ const a = [1];\n".repeat(20)}`],
  ["maxLatency", "under 2 ms"],
];
// Classified twice: the engine interprets a regular expression on its first use and compiles it on the second.
for (const [key, value] of [...WARM_UP, ...WARM_UP]) classifyEntry(key, value);
