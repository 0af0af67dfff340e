import { isWorkrailError } from "../../errors.ts";
import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { Context } from "../../model/context.ts";
import type { CheckpointId } from "../../model/ids.ts";
import { clipName, sizeChange } from "../../patch/describe-value.ts";
import type { Base } from "./find-base.ts";
import { readContext, type ReadPorts } from "../load/read-context.ts";
import { findCheckpoint } from "../../catalog/queries/query-checkpoints.ts";

const MOST_NAMED = 20;

export interface ChangedSince {
  readonly told: string;
  readonly details: { readonly changedKeys: readonly string[]; readonly changedCount: number };
}

/**
 * Returns the top-level keys that changed from a checkpoint to the head. `undefined` when either is missing or unreadable: the
 * conflict is reported in any case.
 */
export async function changedSince(
  ports: ReadPorts,
  from: Base | CheckpointId | null | undefined,
  head: CheckpointRecord | undefined,
): Promise<ChangedSince | undefined> {
  if (from === null || from === undefined || head === undefined) return undefined;
  try {
    const before = typeof from === "string" ? await contextOf(ports, from) : from.context;
    if (before === undefined) return undefined;
    return tell(changedKeys(before, (await readContext(ports, head)).context));
  } catch (error) {
    if (isWorkrailError(error)) return undefined;
    throw error;
  }
}

async function contextOf(ports: ReadPorts, id: CheckpointId): Promise<Context | undefined> {
  const record = await findCheckpoint(ports.catalog, id);
  return record === undefined ? undefined : (await readContext(ports, record)).context;
}

function changedKeys(before: Context, after: Context): string[] {
  const { changed, removed } = stateChanges(before, after);
  return [...Object.keys(after).filter((key) => !Object.hasOwn(before, key) || changed.has(key)), ...removed];
}

/** Differences between two states of some work, by top-level keys. */
export interface StateChanges {
  readonly added: readonly string[];
  /** Changed keys with the change of size, if any: `5 items -> 7`. */
  readonly changed: ReadonlyMap<string, string | undefined>;
  readonly removed: readonly string[];
  /** Number of equal entries. */
  readonly unchanged: number;
}

export function stateChanges(before: Context, after: Context): StateChanges {
  const keys = Object.keys(after);
  const added = keys.filter((key) => !Object.hasOwn(before, key));
  const changed = new Map<string, string | undefined>();
  for (const key of keys) {
    const [from, to] = [before[key], after[key]];
    if (from === undefined || to === undefined || !Object.hasOwn(before, key)) continue;
    if (JSON.stringify(from) !== JSON.stringify(to)) changed.set(key, sizeChange(from, to));
  }
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return { added, changed, removed, unchanged: keys.length - added.length - changed.size };
}

function tell(keys: readonly string[]): ChangedSince {
  const named = keys.slice(0, MOST_NAMED).map(clipName);
  const more = keys.length > named.length ? ` and ${keys.length - named.length} more` : "";
  const told = keys.length === 0 ? "only the order of the keys" : `${named.join(", ")}${more}`;
  return { told, details: { changedKeys: named, changedCount: keys.length } };
}
