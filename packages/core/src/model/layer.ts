/** How much an entry of a context matters, most first. */
export const LAYERS = ["CRITICAL", "IMPORTANT", "USEFUL", "EPHEMERAL"] as const;
export type Layer = (typeof LAYERS)[number];

/** How many entries of a context fell into each layer. */
export type LayerSummary = { readonly [L in Layer]?: number };
