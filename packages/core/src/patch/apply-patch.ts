import { type Context, isJsonObject, type JsonValue } from "../model/context.ts";
import type { Patch, PatchChanges } from "./patch.ts";
import { checkApart, findPlace, type Place, refused, REMOVE_FIELD } from "./patch-places.ts";
import { kindOf, quoted, sizeChange } from "./describe-value.ts";

export interface PatchedContext {
  readonly context: Context;
  readonly changes: PatchChanges;
}

/** Marks a value to be removed. */
const GONE = Symbol("gone");

/** Tree of changes by path segment; a leaf holds the new value. */
type Changes = Map<string, Changes | { readonly becomes: JsonValue | typeof GONE }>;

/**
 * Applies a patch to a base. Existing keys keep their order; new keys follow in the order of the patch. The base is not changed;
 * unchanged values are shared with the result.
 *
 * @throws INVALID_INPUT for overlapping places, a missing parent, and appending to a value that is not a list.
 */
export function applyPatch(base: Context, patch: Patch): PatchedContext {
  const set = patch.set.map(([name, value]) => ({ ...findPlace(base, { name, field: SET_FIELD }), becomes: value }));
  const append = patch.append.map(([name, items]) => {
    const place = findPlace(base, { name, field: APPEND_FIELD });
    return { ...place, becomes: [...listAt(place), ...items], count: items.length };
  });
  const remove = patch.remove.map((name) => ({ ...findPlace(base, { name, field: REMOVE_FIELD }), becomes: GONE }) as const);
  const places = [...set, ...append, ...remove];
  checkApart(places);
  const [there, notFound] = [remove.filter(isThere), remove.filter((place) => !isThere(place))];
  return {
    context: changed(base, treeOf([...set, ...append, ...there])) as Context,
    changes: {
      set: set.map(({ name }) => name),
      appended: append.map(({ name, count }) => [name, count]),
      removed: there.map(({ name }) => name),
      notFound: notFound.map(({ name }) => name),
      replaced: set.flatMap(({ name, value, becomes }) => {
        const sizes = value === undefined ? undefined : sizeChange(value, becomes);
        return sizes === undefined ? [] : [[name, sizes] as const];
      }),
      keptKeys: countUntouched(base, places),
    },
  };
}

const SET_FIELD = "patch.set";
const APPEND_FIELD = "patch.append";

function isThere({ value }: Place): boolean {
  return value !== undefined;
}

function listAt(place: Place): readonly JsonValue[] {
  const { name, value } = place;
  if (value === undefined) return [];
  if (Array.isArray(value)) return value as readonly JsonValue[];
  const hint = `To replace it, send patch: {"set":{${quoted(name)}:...}} with the whole new value.`;
  throw refused(place, `is ${kindOf(value)}, not a list`, hint);
}

function treeOf(places: readonly (Place & { readonly becomes: JsonValue | typeof GONE })[]): Changes {
  const root: Changes = new Map();
  for (const { path, becomes } of places) {
    let at = root;
    for (const segment of path.slice(0, -1)) {
      const next = at.get(segment) ?? new Map();
      at.set(segment, next);
      // Never a leaf: the places do not overlap.
      at = next as Changes;
    }
    at.set(path.at(-1) ?? "", { becomes });
  }
  return root;
}

function changed(value: JsonValue, changes: Changes): JsonValue {
  const become = (key: string, member: JsonValue | undefined): JsonValue | typeof GONE => {
    const change = changes.get(key);
    if (change === undefined) return member as JsonValue;
    return change instanceof Map ? changed(member as JsonValue, change) : change.becomes;
  };
  if (!isJsonObject(value)) {
    return (value as readonly JsonValue[]).map((item, index) => become(String(index), item)).filter((item) => item !== GONE);
  }
  const kept = Object.entries(value).map(([key, member]) => [key, become(key, member)] as const);
  const added = [...changes.keys()].filter((key) => !Object.hasOwn(value, key)).map((key) => [key, become(key, undefined)] as const);
  // No assignment, because `__proto__` must be an ordinary key.
  return Object.fromEntries([...kept, ...added].filter(([, member]) => member !== GONE)) as JsonValue;
}

function countUntouched(base: Context, places: readonly Place[]): number {
  const touched = new Set(places.map(({ path }) => path[0]));
  return Object.keys(base).filter((key) => !touched.has(key)).length;
}
