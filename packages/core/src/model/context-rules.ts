import type { Classification, Layer } from "./classification.ts";
import type { JsonValue } from "./context.ts";

/** Rules of a workflow's author for the entries of its contexts. JSON, written by people; every part is optional. */
export interface ContextRules {
  /**
   * Patterns for keys, by layer: a literal key with `*` for any characters and `?` for one, or a regular expression between slashes
   * (`/^spec/`, `/^spec/i`) that matches anywhere. The most important layer of several matching patterns wins.
   */
  readonly layers?: { readonly [L in Layer]?: readonly string[] } | undefined;
  /**
   * Layers of nested values by path, such as `ticket.acceptance` or `steps.*.output`. An entry is as important as its most
   * important part.
   */
  readonly paths?: { readonly [path: string]: Layer } | undefined;
  /**
   * Shares of a view's room for the layers, each from 0 to 1 and together at most 1. Default: CRITICAL 0.3, IMPORTANT 0.4, USEFUL
   * 0.2, EPHEMERAL 0.1.
   */
  readonly budgets?: { readonly [L in Layer]?: number } | undefined;
  /** The phases of the workflow in their order. */
  readonly phases?: readonly Phase[] | undefined;
}

export interface Phase {
  readonly name: string;
  /** True when a checkpoint belongs at the end of the phase. Default `true`. */
  readonly checkpoint: boolean;
}

/**
 * Rules in executable form. They hold matchers and cannot be serialized; each place that needs them compiles them from
 * `ContextRules`.
 */
export interface CompiledRules {
  /** The rules in their source form. */
  readonly rules: ContextRules;
  /** Returns the classification of an entry by the rules, or `undefined` when none applies. */
  classify(key: string, value: JsonValue): Classification | undefined;
  /** Returns the layer of a nested value by its path, beginning with the entry's key, or `undefined` when no rule names the path. */
  layerOfPath(path: readonly (string | number)[]): Layer | undefined;
}
