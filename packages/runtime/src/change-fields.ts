import type { DroppedEntries, NamedKeys, SaveResult, StateChanges } from "@workrail/core";
import type { PatchedState } from "./context-management-service.ts";
import type { ChangeFields } from "./resume/resume-params.ts";

/** Most names in an answer, however much a call changes. */
const MOST_NAMED = 50;
/** Most names of changed entries, of each kind. */
export const MOST_CHANGES = 20;
const MOST_WARNED = 10;
const LONGEST_NAME = 100;

/** Reports the differences from a known state. @param most names of each kind. */
export function sinceFields(
  since: string,
  { added, changed, removed, unchanged }: StateChanges,
  most: number = MOST_CHANGES,
): ChangeFields {
  const namesOf = (all: readonly string[]): string[] => [...new Set(all.slice(0, most).map(clip))];
  const count = (name: string, told: number, all: number): object => (all > told ? { [`${name}Count`]: all } : {});
  const sizes = Object.fromEntries([...changed].slice(0, most).map(([key, size]) => [clip(key), size ?? "changed"]));
  const [addedNames, removedNames] = [namesOf(added), namesOf(removed)];
  return {
    since,
    ...(added.length === 0 ? {} : { added: addedNames, ...count("added", addedNames.length, added.length) }),
    ...(changed.size === 0 ? {} : { changed: sizes, ...count("changed", Object.keys(sizes).length, changed.size) }),
    ...(removed.length === 0 ? {} : { removed: removedNames, ...count("removed", removedNames.length, removed.length) }),
    unchanged,
  };
}

/** Reports the entries that a state lacks compared with its parent. */
export function droppedFields(dropped: NamedKeys | undefined): { droppedKeys?: string[]; droppedKeysCount?: number } {
  if (dropped === undefined) return {};
  const droppedKeys = dropped.keys.slice(0, MOST_NAMED).map(clip);
  return { droppedKeys, ...(dropped.count > droppedKeys.length ? { droppedKeysCount: dropped.count } : {}) };
}

/** Warns of dropped entries that are pinned or CRITICAL; `undefined` when there are none. */
export function warningOf({ pinned, critical }: DroppedEntries): string | undefined {
  const parts = [
    ...(pinned.length === 0 ? [] : [`pinned: ${listed(pinned)}`]),
    ...(critical.length === 0 ? [] : [`CRITICAL: ${listed(critical)}`]),
  ];
  if (parts.length === 0) return undefined;
  const advice = "context is the whole state. If they are still valid, send your changes as patch, with the parentId of this answer.";
  return `Entries of the parent are missing in this state; ${parts.join("; ")}. ${advice}`;
}

/** Reports the effect of a patch. */
export function patchFields(patched: NonNullable<SaveResult["patched"]>): PatchedState {
  const { base, set, appended, removed, notFound, replaced, keptKeys } = patched;
  const namesLeft = [set, appended, removed, notFound, replaced].reduce((sum, { length }) => sum + Math.max(0, length - MOST_NAMED), 0);
  return {
    base,
    ...(set.length === 0 ? {} : { set: names(set) }),
    ...(appended.length === 0 ? {} : { appended: byName(appended) }),
    ...(removed.length === 0 ? {} : { removed: names(removed) }),
    ...(notFound.length === 0 ? {} : { notFound: names(notFound) }),
    ...(replaced.length === 0 ? {} : { replaced: byName(replaced) }),
    keptKeys,
    ...(namesLeft === 0 ? {} : { namesLeft }),
  };
}

function names(all: readonly string[]): string[] {
  return all.slice(0, MOST_NAMED).map(clip);
}

function byName<T>(all: readonly (readonly [name: string, value: T])[]): Record<string, T> {
  return Object.fromEntries(all.slice(0, MOST_NAMED).map(([name, value]) => [clip(name), value]));
}

function listed(keys: readonly string[]): string {
  const named = keys.slice(0, MOST_WARNED).map(clip).join(", ");
  return keys.length > MOST_WARNED ? `${named} and ${keys.length - MOST_WARNED} more` : named;
}

function clip(name: string): string {
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME).toWellFormed()}...`;
}
