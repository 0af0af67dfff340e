import { invalidInput } from "../errors.ts";
import { type Classification, type Layer, LAYERS, type LayerSummary, UNCLASSIFIED } from "../model/classification.ts";
import { type Context, isJsonObject } from "../model/context.ts";
import type { Classifier } from "../ports/classifier.ts";
import { inTurns, type Steps } from "../turns.ts";
import type { CompiledRules } from "../model/context-rules.ts";

export interface ClassifyPorts {
  readonly classifier: Classifier;
}

export interface ClassifyOptions {
  /** Keys that the agent marked as critical in the session. */
  readonly pins: readonly string[];
  /** Compiled rules of the workflow's author. Default: none. */
  readonly rules?: CompiledRules | undefined;
}

/**
 * Assigns a layer to each entry of a context. The first source with an answer decides: the pins of the agent, the rules of the
 * workflow, the classifier, then the default USEFUL.
 *
 * @throws INVALID_INPUT when the classifier answers anything but a classification; the classifier's errors.
 */
export async function classifyContext(
  { classifier }: ClassifyPorts,
  context: Context,
  options: ClassifyOptions,
): Promise<ReadonlyMap<string, Classification>> {
  const decided = new Map<string, Classification>();
  for (const key of options.pins) if (Object.hasOwn(context, key)) decided.set(key, PINNED);
  if (options.rules !== undefined) await inTurns(applyRules(context, options.rules, decided));
  const keys = Object.keys(context);
  const open = decided.size === 0 ? keys : keys.filter((key) => !decided.has(key));
  if (open.length === 0) return decided;
  const told = await classifier.classify(context, open);
  return new Map(keys.map((key) => [key, decided.get(key) ?? checked(key, told.get(key))]));
}

/** Classifies the entries that rules decide and that are not decided yet. */
function* applyRules(context: Context, rules: CompiledRules, decided: Map<string, Classification>): Steps<void> {
  for (const [key, value] of Object.entries(context)) {
    const ruled = decided.has(key) ? undefined : rules.classify(key, value);
    if (ruled !== undefined) decided.set(key, ruled);
    yield;
  }
}

const PINNED: Classification = { layer: "CRITICAL", confidence: 1, why: "pinned" };

/** Checks an answer before it is stored: programs may pass a classifier of their own. */
function checked(key: string, told: unknown): Classification {
  if (told === undefined) return UNCLASSIFIED;
  const { layer, confidence, why } = isJsonObject(told) ? (told as Partial<Classification>) : {};
  const isLayer = layer !== undefined && LAYERS.includes(layer);
  if (isLayer && typeof confidence === "number" && confidence >= 0 && confidence <= 1 && typeof why === "string")
    return told as Classification;
  throw invalidInput(
    "adapters.classifier",
    `The classifier's answer for the entry ${JSON.stringify(key.slice(0, LONGEST_KEY))} is not a classification.`,
    `A classification has a layer (${LAYERS.join(", ")}), a confidence from 0 to 1, and the reason as text in why.`,
  );
}

const LONGEST_KEY = 60;

/** Counts the entries of each layer. A layer without entries is left out. */
export function summarise(classifications: ReadonlyMap<string, Classification>): LayerSummary {
  const counts = new Map<Layer, number>();
  for (const { layer } of classifications.values()) counts.set(layer, (counts.get(layer) ?? 0) + 1);
  return Object.fromEntries(LAYERS.flatMap((layer) => (counts.has(layer) ? [[layer, counts.get(layer)]] : [])));
}
