import type { JsonValue } from "../model/context.ts";

/**
 * Names a value in a context: a top-level key that the base has; otherwise, when it begins with `/`, a JSON Pointer (RFC 6901) whose
 * parent must exist; otherwise a new top-level key.
 */
export type PlaceName = string;

/** The changes from one context to the next. All of them are read against one base, in one step. */
export interface Patch {
  /** New whole values. `null` is a value, not a deletion. */
  readonly set: readonly (readonly [name: PlaceName, value: JsonValue])[];
  /** Items for the end of a list. The list is made when there is none. */
  readonly append: readonly (readonly [name: PlaceName, items: readonly JsonValue[]])[];
  readonly remove: readonly PlaceName[];
}

/** What a patch did to its base, by the names that it used. */
export interface PatchChanges {
  readonly set: readonly PlaceName[];
  /** How many items were appended. */
  readonly appended: readonly (readonly [name: PlaceName, count: number])[];
  readonly removed: readonly PlaceName[];
  /** Names in `remove` for which the base has nothing. */
  readonly notFound: readonly PlaceName[];
  /** Lists, objects and long texts that `set` replaced, with their sizes: `5 items -> 2`. */
  readonly replaced: readonly (readonly [name: PlaceName, sizes: string])[];
  /** Top-level entries that the patch did not touch. */
  readonly keptKeys: number;
}
