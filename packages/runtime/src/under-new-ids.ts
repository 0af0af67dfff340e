import { type CheckpointId, type CheckpointKind, ownerOf, recordTag } from "@workrail/core";

interface Named {
  readonly kind: string;
  readonly parentId: string | null;
  readonly tags?: readonly string[] | undefined;
}

/** Names the parent of a checkpoint, and the owner of side records, by the ids that they got in another store. */
export function underNewIds<T extends Named>(checkpoint: T, renamed: ReadonlyMap<string, CheckpointId>): T {
  const { kind, parentId, tags = [] } = checkpoint;
  const parent = parentId === null ? undefined : renamed.get(parentId);
  const named = parent === undefined ? checkpoint : { ...checkpoint, parentId: parent };
  const owner = ownerOf({ kind: kind as CheckpointKind, tags });
  const ownerNow = owner === undefined ? undefined : renamed.get(owner);
  if (owner === undefined || ownerNow === undefined) return named;
  return { ...named, tags: tags.map((tag) => (tag === recordTag(owner) ? recordTag(ownerNow) : tag)) };
}
