import type { CheckpointRecord } from "../model/checkpoint.ts";
import { KEEP_TAG } from "../model/session.ts";

/** Limits on a session's asides. */
export interface AsideLimit {
  readonly count: number;
  /** Bytes of their blobs as stored. */
  readonly bytes: number;
}

/** True while a handle still shields a checkpoint. */
export function isShielded({ shieldedUntil }: Pick<CheckpointRecord, "shieldedUntil">, now: Date): boolean {
  return shieldedUntil !== undefined && shieldedUntil > now;
}

/**
 * Selects the asides of a session to remove so that one more fits: the least recently used first, then the oldest. Skips asides
 * that are tagged `keep`, or shielded when the new one is created.
 *
 * @returns `undefined` when the new aside does not fit even then.
 */
export function asidesToRemove(
  asides: readonly CheckpointRecord[],
  added: Pick<CheckpointRecord, "blobBytes" | "createdAt">,
  limit: AsideLimit,
): readonly CheckpointRecord[] | undefined {
  const free = asides.filter((each) => !isShielded(each, added.createdAt) && !each.tags.includes(KEEP_TAG)).toSorted(byUse);
  let count = asides.length + 1;
  let bytes = asides.reduce((sum, { blobBytes }) => sum + blobBytes, added.blobBytes);
  const going: CheckpointRecord[] = [];
  while (count > limit.count || bytes > limit.bytes) {
    const next = free[going.length];
    if (next === undefined) return undefined;
    going.push(next);
    count -= 1;
    bytes -= next.blobBytes;
  }
  return going;
}

function byUse(one: CheckpointRecord, other: CheckpointRecord): number {
  return one.lastAccessedAt.getTime() - other.lastAccessedAt.getTime() || one.sequence - other.sequence;
}
