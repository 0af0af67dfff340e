import { type Classification, type Context, type CountTokens, type JsonValue, type Layer, LAYERS } from "@workrail/core";

/** Change of one entry between two contexts. */
export interface EntryChange {
  readonly key: string;
  /** `moved`: the value is the same but the layer differs. */
  readonly change: "added" | "removed" | "changed" | "moved";
  /** State in the older context; absent when the entry is not there. `to` likewise for the newer context. */
  readonly from?: EntryState;
  readonly to?: EntryState;
}

export interface EntryState {
  readonly value: JsonValue;
  readonly layer: Layer;
  /** Tokens of the value as JSON. */
  readonly tokens: number;
}

export interface ContextComparison {
  /** In the order of the newer context; removed entries come last. */
  readonly entries: readonly EntryChange[];
  /** Number of entries that are equal in both, including the layer. */
  readonly unchanged: number;
  /** True when the contexts have the same keys in a different order. */
  readonly isReordered: boolean;
  /** Sizes in both contexts per layer. Layers empty in both are omitted. */
  readonly layers: { readonly [L in Layer]?: LayerShift };
}

export interface LayerShift {
  readonly from: LayerSize;
  readonly to: LayerSize;
}

export interface LayerSize {
  readonly entries: number;
  /** Tokens of their values as JSON. */
  readonly tokens: number;
}

/** Context with the classification of each entry. */
export interface ClassifiedContext {
  readonly context: Context;
  readonly classifications: ReadonlyMap<string, Classification>;
}

/** Compares two contexts entry by entry. Key order within values counts, because it is kept. */
export function compareContexts(from: ClassifiedContext, to: ClassifiedContext, count: CountTokens): ContextComparison {
  const before = statesOf(from, count);
  const after = statesOf(to, count);
  const kept = [...after].map(([key, state]) => changeOf(key, before.get(key), state));
  const removed = [...before].filter(([key]) => !after.has(key)).map(([key, state]) => changeOf(key, state, undefined));
  const entries = [...kept, ...removed].filter((each) => each !== undefined);
  const isSameSet = before.size === after.size && entries.every(({ change }) => change === "changed" || change === "moved");
  const isReordered = isSameSet && [...before.keys()].join("\0") !== [...after.keys()].join("\0");
  return { entries, unchanged: after.size - kept.filter((each) => each !== undefined).length, isReordered, layers: shifts(before, after) };
}

function statesOf({ context, classifications }: ClassifiedContext, count: CountTokens): ReadonlyMap<string, EntryState> {
  return new Map(
    Object.entries(context).map(([key, value]) => {
      const layer = classifications.get(key)?.layer ?? "USEFUL";
      return [key, { value, layer, tokens: count(JSON.stringify(value)) }];
    }),
  );
}

function changeOf(key: string, from: EntryState | undefined, to: EntryState | undefined): EntryChange | undefined {
  if (from === undefined && to !== undefined) return { key, change: "added", to };
  if (to === undefined && from !== undefined) return { key, change: "removed", from };
  if (from === undefined || to === undefined) return undefined;
  if (JSON.stringify(from.value) !== JSON.stringify(to.value)) return { key, change: "changed", from, to };
  return from.layer === to.layer ? undefined : { key, change: "moved", from, to };
}

function shifts(before: ReadonlyMap<string, EntryState>, after: ReadonlyMap<string, EntryState>): ContextComparison["layers"] {
  const sizes = LAYERS.map((layer) => [layer, { from: sizeOf(before, layer), to: sizeOf(after, layer) }] as const);
  return Object.fromEntries(sizes.filter(([, { from, to }]) => from.entries + to.entries > 0));
}

function sizeOf(states: ReadonlyMap<string, EntryState>, layer: Layer): LayerSize {
  const own = [...states.values()].filter((state) => state.layer === layer);
  return { entries: own.length, tokens: own.reduce((sum, { tokens }) => sum + tokens, 0) };
}
