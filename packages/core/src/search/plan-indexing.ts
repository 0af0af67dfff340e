import type { CheckpointRecord } from "../model/checkpoint.ts";
import type { CheckpointId } from "../model/ids.ts";
import type { IndexedCheckpoint } from "../ports/search-index.ts";

/** A checkpoint that is to be found. */
export type Findable = Pick<CheckpointRecord, "id" | "sequence" | "kind" | "contextBytes">;

/** A checkpoint, and the one whose text it need not repeat. */
export interface Link {
  readonly checkpoint: Findable;
  /** `undefined`: it is indexed whole. */
  readonly previous: Findable | undefined;
}

export interface IndexingPlan {
  readonly remove: readonly CheckpointId[];
  /** Oldest first. */
  readonly add: readonly Link[];
}

/**
 * Links each of a session's checkpoints to its live predecessor. Asides are no part of the session's course: what follows one
 * is compared with what was before it.
 *
 * @param checkpoints oldest first.
 * @param before what the first of them follows, where they are not all.
 */
export function linked(checkpoints: readonly Findable[], before?: Findable): readonly Link[] {
  let previous = before;
  return checkpoints.map((checkpoint) => {
    const link = { checkpoint, previous };
    if (checkpoint.kind !== "aside") previous = checkpoint;
    return link;
  });
}

/** As many of them, in their order, as are at most this large in all; one at least. */
export function firstLinks(links: readonly Link[], most: number, mostBytes: number): readonly Link[] {
  let bytes = 0;
  const over = links.findIndex(({ checkpoint }) => (bytes += checkpoint.contextBytes) > mostBytes);
  return links.slice(0, over === -1 ? most : Math.min(most, Math.max(1, over)));
}

/** What has to be done so that an index holds these, and no others. */
export function planIndexing(wanted: readonly Link[], indexed: readonly IndexedCheckpoint[]): IndexingPlan {
  const byId = new Map(indexed.map((each) => [each.checkpointId, each]));
  const add = wanted.filter((link) => !isIndexed(link, byId.get(link.checkpoint.id)));
  const kept = new Set(wanted.map(({ checkpoint }) => checkpoint.id));
  for (const { checkpoint } of add) kept.delete(checkpoint.id);
  return { add, remove: indexed.map(({ checkpointId }) => checkpointId).filter((id) => !kept.has(id)) };
}

function isIndexed({ checkpoint, previous }: Link, indexed: IndexedCheckpoint | undefined): boolean {
  return indexed?.sequence === checkpoint.sequence && indexed.previous === (previous?.sequence ?? 0);
}
