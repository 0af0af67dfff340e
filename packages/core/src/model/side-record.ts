import type { CheckpointRecord } from "./checkpoint.ts";
import type { CheckpointId } from "./ids.ts";

/** Bytes that a program stores with a checkpoint. */
export interface SideRecord {
  readonly key: string;
  readonly bytes: Uint8Array;
}

const PREFIX = "record-of:";

/** Tag of the asides that hold side records of a checkpoint. */
export function recordTag(owner: CheckpointId): string {
  return `${PREFIX}${owner}`;
}

/** Returns the checkpoint that a side record belongs to; `undefined` for any other checkpoint. */
export function ownerOf({ kind, tags }: Pick<CheckpointRecord, "kind" | "tags">): CheckpointId | undefined {
  if (kind !== "aside") return undefined;
  return tags.find((tag) => tag.startsWith(PREFIX))?.slice(PREFIX.length) as CheckpointId | undefined;
}
