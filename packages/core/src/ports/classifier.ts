import type { Classification } from "../model/classification.ts";
import type { Context } from "../model/context.ts";

/** Decides how important the entries of a context are. */
export interface Classifier {
  /**
   * Resolves to a classification of each of `keys`, which are own keys of `context`. An entry without one counts as USEFUL. Pinned entries
   * and entries that a rule of the workflow classifies are not passed. Called on each save while other saves of the session wait, so it
   * must be fast, and long work must yield. A rejection makes the save or the view fail. May be repeated, with the same result. Must never
   * change or keep the context.
   */
  classify(context: Context, keys: readonly string[]): Promise<ReadonlyMap<string, Classification>>;
}
