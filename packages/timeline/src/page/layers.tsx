import type { Layer } from "@workrail/core";
import type { JSX } from "preact";
import type { ContextSize } from "../data/timeline.ts";
import { number } from "./format.ts";

/** Most important first, as everywhere in the product. */
export const LAYER_NAMES: readonly Layer[] = ["CRITICAL", "IMPORTANT", "USEFUL", "EPHEMERAL"];

/** The layer of an entry. */
export function LayerTag({ layer }: { readonly layer: Layer }): JSX.Element {
  return (
    <span class={`layer-tag ${layer.toLowerCase()}`}>
      <i aria-hidden="true" />
      {layer}
    </span>
  );
}

/** Tokens by layer as one stacked bar. @param most the tokens of the longest bar beside which this one stands. */
export function LayerBar({ layers, most }: { readonly layers: ContextSize["layers"]; readonly most: number }): JSX.Element {
  const parts = LAYER_NAMES.flatMap((layer) => (layers[layer] === undefined ? [] : [{ layer, ...layers[layer] }]));
  const label = parts.map(({ layer, tokens }) => `${layer} ${number(tokens)}`).join(", ");
  return (
    <span class="layer-bar" role="img" aria-label={`Tokens by layer: ${label === "" ? "none" : label}`} title={label}>
      {parts.map(({ layer, tokens }) => (
        <span key={layer} class={layer.toLowerCase()} style={{ width: `${(100 * tokens) / Math.max(1, most)}%` }} />
      ))}
    </span>
  );
}

export function LayerLegend(): JSX.Element {
  return (
    <p class="legend">
      {LAYER_NAMES.map((layer) => (
        <LayerTag key={layer} layer={layer} />
      ))}
    </p>
  );
}
