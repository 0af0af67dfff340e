import type { CheckpointId, CheckpointRecord, IndexedCheckpoint } from "@workrail/core";

/** Fields of a checkpoint that indexing needs. */
export type Findable = Pick<CheckpointRecord, "id" | "sequence" | "kind" | "contextBytes">;

/** Checkpoint with the predecessor whose text it need not repeat. */
export interface Link {
  readonly checkpoint: Findable;
  /** `undefined`: the checkpoint is indexed whole. */
  readonly previous: Findable | undefined;
}

export interface IndexingPlan {
  readonly remove: readonly CheckpointId[];
  /** Oldest first. */
  readonly add: readonly Link[];
}

/**
 * Links each checkpoint of a session to its live predecessor. Asides are never predecessors: the checkpoint after an aside is
 * compared with the one before the aside.
 *
 * @param checkpoints oldest first.
 * @param before predecessor of the first checkpoint, when `checkpoints` is not the whole session.
 */
export function linked(checkpoints: readonly Findable[], before?: Findable): readonly Link[] {
  let previous = before;
  return checkpoints.map((checkpoint) => {
    const link = { checkpoint, previous };
    if (checkpoint.kind !== "aside") previous = checkpoint;
    return link;
  });
}

/** Returns the first links, at most `most` and at most `mostBytes` of contexts, but at least one. */
export function firstLinks(links: readonly Link[], most: number, mostBytes: number): readonly Link[] {
  let bytes = 0;
  const over = links.findIndex(({ checkpoint }) => (bytes += checkpoint.contextBytes) > mostBytes);
  return links.slice(0, over === -1 ? most : Math.min(most, Math.max(1, over)));
}

/** Plans the changes after which an index holds exactly the wanted checkpoints. */
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
