/** Importance of a context entry, highest first. */
export const LAYERS = ["CRITICAL", "IMPORTANT", "USEFUL", "EPHEMERAL"] as const;
export type Layer = (typeof LAYERS)[number];

/** Number of a context's entries in each layer. */
export type LayerSummary = { readonly [L in Layer]?: number };
