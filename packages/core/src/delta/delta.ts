import type { JsonValue } from "../model/context.ts";

/**
 * Describes how to make a JSON value from another one, the base. A delta is readable JSON itself:
 *
 * - `{ "keep": true }`: the value is the base.
 * - `{ "set": value }`: the value is this one.
 * - `{ "new": delta }`: the delta makes the value from nothing, ignoring the base at this place.
 * - `{ "copy": ["files", "a.ts"] }`: the value is copied from elsewhere in the whole base, at these keys and indexes.
 * - `{ "text": [[offset, deleted, "inserted"], ...] }`: the base's text with these splices; offsets refer to the base, ascending.
 * - `{ "array": [...] }`: see `ArrayStep`.
 * - `{ "object": { "drop", "change", "order" } }`: the base's members without the dropped ones, changed ones in place, new ones
 *   at the end; `order` lists all keys when their order differs.
 *
 * Paths are lists, not joined texts, because keys may hold any character.
 */
export type Delta =
  | { readonly keep: true }
  | { readonly set: JsonValue }
  | { readonly new: Delta }
  | { readonly copy: readonly (string | number)[] }
  | { readonly text: readonly Splice[] }
  | { readonly array: readonly ArrayStep[] }
  | { readonly object: ObjectDelta };

export type Splice = readonly [offset: number, deleted: number, inserted: string];

/**
 * Step through the items of the base. `n > 0`: keep the next n items. `n < 0`: skip -n items. Remaining items at the end are
 * dropped. `insert`: add these items. `new`: add one item that a delta makes from nothing. `change`: change the next item of the
 * base.
 */
export type ArrayStep = number | { readonly insert: readonly JsonValue[] } | { readonly new: Delta } | { readonly change: Delta };

export interface ObjectDelta {
  readonly drop?: readonly string[];
  readonly change?: { readonly [key: string]: Delta };
  readonly order?: readonly string[];
}
