/** Importance of a context entry, highest first. */
export const LAYERS = ["CRITICAL", "IMPORTANT", "USEFUL", "EPHEMERAL"] as const;
export type Layer = (typeof LAYERS)[number];

/** Number of a context's entries in each layer. */
export type LayerSummary = { readonly [L in Layer]?: number };

/** Classification of one entry of a context. */
export interface Classification {
  readonly layer: Layer;
  /** From 0 (a guess) to 1 (stated by a person). */
  readonly confidence: number;
  /** Short readable reason for the layer: `pinned`, `rule "src.*"`, `key word "goal"`. */
  readonly why: string;
}

/** Classification of an entry that nothing classified. */
export const UNCLASSIFIED: Classification = { layer: "USEFUL", confidence: 0, why: "default" };
