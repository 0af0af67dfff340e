import type { Context, JsonValue } from "../model/context.ts";
import { atOnce, type Steps } from "../turns.ts";
import type { Classification } from "./classification.ts";
import { classifyWords } from "./classify-key.ts";
import { classifyValue } from "./classify-value.ts";
import type { CompiledRules } from "./compile-rules.ts";
import { wordsOf } from "./key-words.ts";
import { isRich } from "./value-shape.ts";
import { OPAQUE, THROWAWAY } from "./vocabulary.ts";

export interface ClassifyHow {
  /** Keys that were marked critical in the session. */
  readonly pins: readonly string[];
  /** What the author of the workflow says. Default: nothing. */
  readonly rules?: CompiledRules | undefined;
}

/**
 * Tells how much each entry of a context matters. Who knows best decides: the agent that pinned an entry, then the
 * rules of the workflow, then the words of the key, then the value, then the default, USEFUL. The same context is
 * always classified alike, and no context makes it fail or slow: long keys and values are only read in part.
 */
export function classifyContext(context: Context, how: ClassifyHow): ReadonlyMap<string, Classification> {
  return atOnce(classifySteps(context, how));
}

/** The same, with room for other work between entries. */
export function* classifySteps(context: Context, how: ClassifyHow): Steps<ReadonlyMap<string, Classification>> {
  const classified = new Map<string, Classification>();
  for (const [key, value] of Object.entries(context)) {
    classified.set(key, classifyEntry(key, value, how));
    yield;
  }
  return classified;
}

/** The same for one entry. */
export function classifyEntry(key: string, value: JsonValue, how: ClassifyHow): Classification {
  if (how.pins.includes(key)) return { layer: "CRITICAL", confidence: 1, why: "pinned" };
  return how.rules?.classify(key, value) ?? byItself(key, value);
}

function byItself(key: string, value: JsonValue): Classification {
  const words = wordsOf(key);
  // `tmp1` names a variable in haste more often than it says that a sentence is temporary.
  const isHasty = words.length === 1 && THROWAWAY.has(words[0] ?? "") && typeof value === "string" && isRich(value);
  const isOpaque = isHasty || words.every((word) => OPAQUE.has(word));
  if (!isOpaque) {
    const told = classifyWords(words, value);
    if (told !== undefined) return told;
  }
  return classifyValue(value, isOpaque) ?? byDefault(key, value, isOpaque);
}

function byDefault(key: string, value: JsonValue, isOpaque: boolean): Classification {
  // A yes or no under a name of its own steers what comes next; so does a level.
  if (typeof value === "string" && !isOpaque && LEVEL.test(value)) return { layer: "IMPORTANT", confidence: 0.4, why: "a level" };
  if (typeof value === "boolean" && !isOpaque) return { layer: "IMPORTANT", confidence: 0.4, why: "a switch" };
  if (typeof value === "number" && isIndex(key)) return { layer: "EPHEMERAL", confidence: 0.5, why: "a counter" };
  return { layer: "USEFUL", confidence: 0.3, why: "default" };
}

const LEVEL =
  /^(?:very[ _-])?(?:none|minimal|low|medium|moderate|high|critical|partial|partially|full|complete|quick|light|standard|thorough|deep|shallow|strict|lenient|auto|automatic|manual|guided|blocked|ready|not[ _-]ready)$/i;

/** What loops call their counters. */
function isIndex(key: string): boolean {
  return /^[ijkmn]$/i.test(key);
}

/**
 * One entry of each kind, classified before any other. Engines compile functions and expressions when they are first used:
 * that takes more than a thousand times what classifying takes afterwards, and would fall to somebody's first entries.
 */
const FIRST: readonly (readonly [key: string, value: JsonValue])[] = [
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
// Twice: an expression is interpreted the first time it is asked, and compiled the second.
for (const [key, value] of [...FIRST, ...FIRST]) classifyEntry(key, value, { pins: [] });
