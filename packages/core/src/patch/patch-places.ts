import { WorkrailError } from "../errors.ts";
import { type Context, isJsonObject, type JsonValue } from "../model/context.ts";
import type { PlaceName } from "./patch.ts";
import { clipName, kindOf, quoted } from "./describe-value.ts";

/** Most keys listed in an error. */
const MOST_NAMED = 20;

/** Name of a place in a patch. */
interface NamedPlace {
  readonly name: PlaceName;
  /** Field of the patch with the name, such as `patch.set`. */
  readonly field: string;
}

/** Place of a value in a base: keys, and indexes as written. */
export interface Place extends NamedPlace {
  readonly path: readonly string[];
  /** `undefined` when the base has nothing there. */
  readonly value: JsonValue | undefined;
}

/**
 * Resolves a name of a patch to a place.
 *
 * @throws INVALID_INPUT for a malformed JSON Pointer, or one whose parent does not exist.
 */
export function findPlace(base: Context, named: NamedPlace): Place {
  const { name } = named;
  if (Object.hasOwn(base, name) || !name.startsWith("/")) return { ...named, path: [name], value: memberOf(base, name) };
  const path = segmentsOf(named);
  let parent: JsonValue = base;
  for (const [depth, segment] of path.slice(0, -1).entries()) {
    const next = memberOf(parent, segment);
    if (next === undefined) throw noParent({ ...named, path, depth, parent });
    parent = next;
  }
  const last = path.at(-1) ?? "";
  if (!isJsonObject(parent) && !Array.isArray(parent)) throw noParent({ ...named, path, depth: path.length - 1, parent });
  if (Array.isArray(parent)) checkIndex(parent, last, named);
  return { ...named, path, value: memberOf(parent, last) };
}

/** Returns a member by key, or an item by index; `undefined` when there is none. */
function memberOf(parent: JsonValue, segment: string): JsonValue | undefined {
  if (Array.isArray(parent)) return INDEX.test(segment) ? (parent as readonly JsonValue[])[Number(segment)] : undefined;
  return isJsonObject(parent) && Object.hasOwn(parent, segment) ? parent[segment] : undefined;
}

const INDEX = /^(?:0|[1-9]\d{0,14})$/;

function segmentsOf(named: NamedPlace): string[] {
  if (/~(?![01])/.test(named.name)) {
    throw refused(named, "is no JSON Pointer: ~ stands before 0 or 1 only", "Write ~ as ~0, and / within a key as ~1.");
  }
  return named.name
    .slice(1)
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Only `remove` may name an index beyond the list. */
function checkIndex(list: readonly JsonValue[], segment: string, named: NamedPlace): void {
  const listName = named.name.slice(0, named.name.lastIndexOf("/"));
  const appending = `To add items, send patch: {"append":{${quoted(listName)}:[...]}}.`;
  if (segment === "-") throw refused(named, "names no item: - is not an index here", appending);
  if (!INDEX.test(segment)) throw refused(named, `names no item of a list of ${list.length}: items have indexes from 0`, appending);
  if (Number(segment) < list.length || named.field === REMOVE_FIELD) return;
  const rule = list.length === 0 ? "the list is empty" : `the list has the indexes 0 to ${list.length - 1}`;
  throw refused(named, `is out of range: ${rule}`, appending);
}

export const REMOVE_FIELD = "patch.remove";

interface Missing extends NamedPlace {
  readonly path: readonly string[];
  /** Depth of the missing segment, or of the parent of the last segment. */
  readonly depth: number;
  readonly parent: JsonValue;
}

function noParent({ name, field, path, depth, parent }: Missing): WorkrailError {
  const at = depth === 0 ? "the context" : quoted(pointerOf(path.slice(0, depth)));
  const keys = keysOf(parent);
  const lacks = keys === undefined ? `is ${kindOf(parent)}, which has no keys` : `has no ${quoted(path[depth] ?? "")}`;
  const named = (keys ?? []).slice(0, MOST_NAMED).map(clipName);
  const left = (keys?.length ?? 0) - named.length;
  const others = left > 0 ? ` and ${left} more` : "";
  const there = keys === undefined ? "" : keys.length === 0 ? " It is empty." : ` It has: ${named.join(", ")}${others}.`;
  const asKey = depth === 0 ? ` A new key that begins with / is written ${quoted(pointerOf([name]))}.` : "";
  const message = `${field} names ${quoted(name)}, whose parent does not exist: ${at} ${lacks}.`;
  return new WorkrailError("INVALID_INPUT", message, {
    details: { field, place: clipName(name), keys: named },
    hint: `Correct the name, or set the whole parent.${there}${asKey}`,
  });
}

function keysOf(value: JsonValue): readonly string[] | undefined {
  if (Array.isArray(value)) return value.length === 0 ? [] : [`0 to ${value.length - 1}`];
  return isJsonObject(value) ? Object.keys(value) : undefined;
}

/**
 * Checks that no place equals or contains another one.
 *
 * @throws INVALID_INPUT when two places overlap.
 */
export function checkApart(places: readonly Place[]): void {
  const named = new Map<string, Place>();
  const within = new Map<string, Place>();
  for (const place of places) {
    const at = place.path.map((_, index) => pointerOf(place.path.slice(0, index + 1)));
    const own = pointerOf(place.path);
    const other = at.map((pointer) => named.get(pointer)).find((found) => found !== undefined) ?? within.get(own);
    if (other !== undefined) throw overlapping(place, other);
    named.set(own, place);
    for (const pointer of at) within.set(pointer, place);
  }
}

function overlapping(place: Place, other: Place): WorkrailError {
  const names =
    place.name === other.name ? `${quoted(place.name)} twice` : `${quoted(other.name)} and ${quoted(place.name)}, which overlap`;
  return new WorkrailError("INVALID_INPUT", `patch names ${names}.`, {
    details: { field: place.field, places: [clipName(other.name), clipName(place.name)] },
    hint: "A patch is applied in one step: name each place once, or set the outer one as a whole.",
  });
}

function pointerOf(path: readonly string[]): string {
  return path.map((segment) => `/${segment.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

export function refused({ field, name }: NamedPlace, rule: string, hint: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", `${field} names ${quoted(name)}, which ${rule}.`, {
    details: { field, place: clipName(name) },
    hint,
  });
}
