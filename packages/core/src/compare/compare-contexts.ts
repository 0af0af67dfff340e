import type { Classification } from "../classify/classification.ts";
import type { Context, JsonValue } from "../model/context.ts";
import { LAYERS, type Layer } from "../model/layer.ts";
import type { CountTokens } from "../ports/environment.ts";

/** What became of one entry from one context to another. */
export interface EntryChange {
  readonly key: string;
  /** `moved`: its value is the same, and it matters more or less than it did. */
  readonly change: "added" | "removed" | "changed" | "moved";
  /** As it is in the one context; absent when it is not there. */
  readonly from?: EntryState;
  readonly to?: EntryState;
}

export interface EntryState {
  readonly value: JsonValue;
  readonly layer: Layer;
  /** Of the value as JSON. */
  readonly tokens: number;
}

export interface ContextComparison {
  /** In the order of the newer context; what was removed comes last. */
  readonly entries: readonly EntryChange[];
  /** Entries that are the same in both, layer and all. */
  readonly unchanged: number;
  /** Their entries are the same, and stand in another order. */
  readonly isReordered: boolean;
  /** Of both contexts, layer by layer; layers that neither has are left out. */
  readonly layers: { readonly [L in Layer]?: LayerShift };
}

export interface LayerShift {
  readonly from: LayerSize;
  readonly to: LayerSize;
}

export interface LayerSize {
  readonly entries: number;
  /** Of their values as JSON. */
  readonly tokens: number;
}

/** A context with what is held of each entry. */
export interface ClassifiedContext {
  readonly context: Context;
  readonly classifications: ReadonlyMap<string, Classification>;
}

/** Tells two contexts apart, entry by entry. Key order within values counts, as it is kept. */
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
