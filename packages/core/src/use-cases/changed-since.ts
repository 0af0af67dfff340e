import { isWorkrailError } from "../errors.ts";
import type { CheckpointRecord } from "../model/checkpoint.ts";
import type { Context } from "../model/context.ts";
import type { CheckpointId } from "../model/ids.ts";
import { clipName } from "../patch/quoted-name.ts";
import type { Base } from "./find-base.ts";
import { readContext, type ReadPorts } from "./read-context.ts";

const MOST_NAMED = 20;

export interface ChangedSince {
  readonly told: string;
  readonly details: { readonly changedKeys: readonly string[]; readonly changedCount: number };
}

/**
 * The top-level keys that changed from a checkpoint to the head. `undefined` where either is gone or cannot be read: the conflict is
 * told in any case.
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
  const record = await ports.catalog.find(id);
  return record === undefined ? undefined : (await readContext(ports, record)).context;
}

function changedKeys(before: Context, after: Context): string[] {
  const keys = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...keys].filter(
    (key) => Object.hasOwn(before, key) !== Object.hasOwn(after, key) || JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  );
}

function tell(keys: readonly string[]): ChangedSince {
  const named = keys.slice(0, MOST_NAMED).map(clipName);
  const more = keys.length > named.length ? ` and ${keys.length - named.length} more` : "";
  const told = keys.length === 0 ? "only the order of the keys" : `${named.join(", ")}${more}`;
  return { told, details: { changedKeys: named, changedCount: keys.length } };
}
