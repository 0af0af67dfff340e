import type { DroppedEntries, NamedKeys, SaveResult, StateChanges } from "@workrail/core";
import type { PatchedState, SaveCheckpointResult } from "./context-management-service.ts";
import type { ToldChanges } from "./resume/resume-params.ts";

/** An answer stays small, however much a call changes. */
const MOST_NAMED = 50;
const MOST_WARNED = 10;
const LONGEST_NAME = 100;

/** What an answer to a save tells of what became of the state. */
export function told({
  patched,
  dropped,
}: SaveResult): Pick<SaveCheckpointResult, "patched" | "droppedKeys" | "droppedKeysCount" | "warning"> {
  return {
    ...(patched === undefined ? {} : { patched: toldPatch(patched) }),
    ...(dropped === undefined ? {} : { ...toldDropped({ keys: dropped.keys, count: dropped.keys.length }), ...warning(dropped) }),
  };
}

/** How a state differs from one that was known. */
export function toldSince(since: string, { added, changed, removed, unchanged }: StateChanges): ToldChanges {
  const count = (name: string, all: number): object => (all > MOST_NAMED ? { [`${name}Count`]: all } : {});
  const sizes = [...changed].slice(0, MOST_NAMED).map(([key, size]): [string, string] => [clip(key), size ?? "changed"]);
  return {
    since,
    ...(added.length === 0 ? {} : { added: added.slice(0, MOST_NAMED).map(clip), ...count("added", added.length) }),
    ...(changed.size === 0 ? {} : { changed: Object.fromEntries(sizes), ...count("changed", changed.size) }),
    ...(removed.length === 0 ? {} : { removed: removed.slice(0, MOST_NAMED).map(clip), ...count("removed", removed.length) }),
    unchanged,
  };
}

/** The keys of entries that a state lacks against its parent. */
export function toldDropped(dropped: NamedKeys | undefined): { droppedKeys?: string[]; droppedKeysCount?: number } {
  if (dropped === undefined) return {};
  const droppedKeys = dropped.keys.slice(0, MOST_NAMED).map(clip);
  return { droppedKeys, ...(dropped.count > droppedKeys.length ? { droppedKeysCount: dropped.count } : {}) };
}

function warning({ pinned, critical }: DroppedEntries): Pick<SaveCheckpointResult, "warning"> {
  const parts = [
    ...(pinned.length === 0 ? [] : [`pinned: ${listed(pinned)}`]),
    ...(critical.length === 0 ? [] : [`CRITICAL: ${listed(critical)}`]),
  ];
  if (parts.length === 0) return {};
  const advice = "context is the whole state. If they still hold, send what you changed as patch, with the parentId of this answer.";
  return { warning: `Entries of the parent are not in this state; ${parts.join("; ")}. ${advice}` };
}

function toldPatch(patched: NonNullable<SaveResult["patched"]>): PatchedState {
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
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}...`;
}
