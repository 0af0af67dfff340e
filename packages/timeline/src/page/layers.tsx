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
  CRITICAL: "Without it an agent does the wrong thing: goals, limits, decisions. A resume takes it first. A pin makes an entry CRITICAL.",
  IMPORTANT: "The agent's own thinking and progress, costly to redo: plans, findings, open questions.",
  USEFUL: "Can be fetched or made again: files, tool output, messages.",
  EPHEMERAL: "Means little in the next session: logs, clocks, caches. It is left out first.",
};

/** The reason for which tokens of layers do not add up to those of the whole. */
export const WHY_SUMS_DIFFER =
  "Layers count each value alone; the whole is counted with its keys and its JSON, so the layers do not add up to it exactly.";

/** The colours of the layers, and their meaning on demand. */
export function LayerLegend(): JSX.Element {
  return (
    <div class="legend">
      {LAYER_NAMES.map((layer) => (
        <LayerTag key={layer} layer={layer} />
      ))}
      <Menu label="?" name="What the layers are" class="plain">
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
