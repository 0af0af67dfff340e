import type { JsonValue } from "../model/context.ts";

/**
 * How one JSON value is made from another, the base. Itself JSON, and readable:
 *
 * - `{ "keep": true }`: it is the base.
 * - `{ "set": value }`: it is this value.
 * - `{ "new": delta }`: it is made by this delta from nothing, whatever the base has in its place.
 * - `{ "copy": ["files", "a.ts"] }`: it stands elsewhere in the whole base, under these keys and indexes.
 * - `{ "text": [[offset, deleted, "inserted"], ...] }`: the base's text with these splices; offsets are the base's, ascending.
 * - `{ "array": [...] }`: see `ArrayStep`.
 * - `{ "object": { "drop", "change", "order" } }`: the base's members without those dropped, changed ones in their place,
 *   new ones after them; `order` names all keys where that is not their order.
 *
 * Paths are lists and not joined texts, for keys may hold any character.
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
 * `n > 0`: take over the next n items of the base. `n < 0`: pass over -n of them. What is left at the end is not taken.
 * `insert`: these items. `new`: one item, made from nothing by a delta. `change`: the base's next item, changed.
 */
export type ArrayStep = number | { readonly insert: readonly JsonValue[] } | { readonly new: Delta } | { readonly change: Delta };

export interface ObjectDelta {
  readonly drop?: readonly string[];
  readonly change?: { readonly [key: string]: Delta };
  readonly order?: readonly string[];
}
