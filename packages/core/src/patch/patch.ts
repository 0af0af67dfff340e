import type { JsonValue } from "../model/context.ts";

/**
 * Names a value in a context: a top-level key of the base; otherwise, if it begins with `/`, a JSON Pointer (RFC 6901) whose
 * parent must exist; otherwise a new top-level key.
 */
export type PlaceName = string;

/** Changes from one context to the next. All of them refer to the same base and apply in one step. */
export interface Patch {
  /** New whole values. `null` is a value, not a deletion. */
  readonly set: readonly (readonly [name: PlaceName, value: JsonValue])[];
  /** Items to add at the end of a list. A missing list is created. */
  readonly append: readonly (readonly [name: PlaceName, items: readonly JsonValue[]])[];
  readonly remove: readonly PlaceName[];
}

/** Effect of a patch on its base, by the names used in the patch. */
export interface PatchChanges {
  readonly set: readonly PlaceName[];
  /** Number of appended items per list. */
  readonly appended: readonly (readonly [name: PlaceName, count: number])[];
  readonly removed: readonly PlaceName[];
  /** Names in `remove` that the base does not have. */
  readonly notFound: readonly PlaceName[];
  /** Lists, objects and long texts that `set` replaced, with their sizes: `5 items -> 2`. */
  readonly replaced: readonly (readonly [name: PlaceName, sizes: string])[];
  /** Number of top-level entries that the patch did not touch. */
  readonly keptKeys: number;
}
