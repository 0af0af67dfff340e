import type { Layer } from "@workrail/core";
import type { JSX } from "preact";
import type { ContextSize } from "../data/timeline.ts";
import { number } from "./format.ts";
import { Menu } from "./menu.tsx";

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
      {parts.map(({ layer, tokens }) =>
        tokens === 0 ? null : <span key={layer} class={layer.toLowerCase()} style={{ width: `${(100 * tokens) / Math.max(1, most)}%` }} />,
      )}
    </span>
  );
}

/** The importance of each layer, in words. */
const MEANINGS: Readonly<Record<Layer, string>> = {
  CRITICAL: "Needed to act correctly: goals, limits, decisions. A resume includes it first. A pin makes an entry CRITICAL.",
  IMPORTANT: "The agent's own thinking and progress, costly to redo: plans, findings, open questions.",
  USEFUL: "Can be fetched or produced again: files, tool output, messages.",
  EPHEMERAL: "Of little use in the next session: logs, clocks, caches. Left out first.",
};

/** Explains why the tokens of layers do not add up to the total. */
export const WHY_SUMS_DIFFER =
  "Layers count values alone; the total includes keys and JSON syntax, so the layers do not add up to it exactly.";

/** The colours of the layers, and their meaning on demand. */
export function LayerLegend(): JSX.Element {
  return (
    <div class="legend">
      {LAYER_NAMES.map((layer) => (
        <LayerTag key={layer} layer={layer} />
      ))}
      <Menu label="?" name="About layers" class="plain">
        <p>
          A bar shows the size of a saved state in tokens, by layer. A token is about four characters. Each entry has a layer, which tells
          what a resume needs most:
        </p>
        <dl>
          {LAYER_NAMES.map((layer) => (
            <div key={layer}>
              <dt>
                <LayerTag layer={layer} />
              </dt>
              <dd>{MEANINGS[layer]}</dd>
            </div>
          ))}
        </dl>
      </Menu>
    </div>
  );
}
