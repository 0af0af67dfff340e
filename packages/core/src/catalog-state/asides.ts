import type { CheckpointRecord } from "../model/checkpoint.ts";
import { KEEP_TAG } from "../model/session.ts";
import type { AsideLimit } from "../ports/catalog.ts";

/** Whether a handle that was given out for a checkpoint holds still. */
export function isShielded({ shieldedUntil }: Pick<CheckpointRecord, "shieldedUntil">, now: Date): boolean {
  return shieldedUntil !== undefined && shieldedUntil > now;
}

/**
 * Which of a session's asides go so that one more fits among them: those used longest ago, of equals the oldest, but none
 * that is tagged `keep` or shielded at the time that the new one is created.
 *
 * @returns `undefined` when it does not fit whatever goes.
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
