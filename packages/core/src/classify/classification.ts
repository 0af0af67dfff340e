import { type Layer, LAYERS, type LayerSummary } from "../model/layer.ts";

/** What a classifier holds of one entry of a context. */
export interface Classification {
  readonly layer: Layer;
  /** From 0, a guess, to 1, said by a person. */
  readonly confidence: number;
  /** What decided, in a few words for people: `pinned`, `rule "src.*"`, `key word "goal"`. */
  readonly why: string;
}

/** How many entries are in each layer; a layer without entries is left out. */
export function summarise(classifications: ReadonlyMap<string, Classification>): LayerSummary {
  const counts = new Map<Layer, number>();
  for (const { layer } of classifications.values()) counts.set(layer, (counts.get(layer) ?? 0) + 1);
  return Object.fromEntries(LAYERS.flatMap((layer) => (counts.has(layer) ? [[layer, counts.get(layer)]] : [])));
}

/** The one of two layers that matters more. */
export function moreImportant(one: Layer, other: Layer): Layer {
  return LAYERS.indexOf(one) <= LAYERS.indexOf(other) ? one : other;
}
