import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { canonicalJson } from "@workrail/core";
import type { CheckpointLabels, CheckpointMetadata as SavedMetadata } from "@workrail/runtime";
import { createHash } from "node:crypto";
import type { Place } from "./place.ts";
import { toTypedValue, type TypedValue } from "./typed-value.ts";

/** Keys of metadata by which checkpoints can be listed. A graph has a few; each takes room in the catalog. */
const MOST_KEYS = 64;
/** Longer values are compared by their digest. */
const LONGEST = 100;

/** Attributes under which a store keeps a checkpoint: its place, its parent, and the metadata to filter by. */
export function labelsOf({ threadId, namespace, id }: Place, parent: string | undefined, metadata: TypedValue): CheckpointLabels {
  return {
    thread_id: threadId,
    checkpoint_ns: namespace,
    checkpoint_id: id,
    ...(parent === undefined ? {} : { parent_checkpoint_id: parent }),
    ...Object.fromEntries(entriesOf(metadata).slice(0, MOST_KEYS)),
  };
}

export function placeIn(saved: SavedMetadata): Place & { readonly parent: string | undefined } {
  const { thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id } = saved as unknown as Record<string, string>;
  return { threadId: thread_id ?? "", namespace: checkpoint_ns ?? "", id: checkpoint_id ?? "", parent: parent_checkpoint_id };
}

/** Returns a test for checkpoints whose metadata has these values. */
export async function filterOf(
  serde: SerializerProtocol,
  filter: Readonly<Record<string, unknown>>,
): Promise<(saved: SavedMetadata) => boolean> {
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  const wanted = entriesOf(await toTypedValue(serde, given));
  return (saved) => wanted.every(([key, value]) => saved[key] === value);
}

function entriesOf(metadata: TypedValue): readonly (readonly [string, string])[] {
  if (!("json" in metadata)) return [];
  return Object.entries(metadata.json as object).map(([key, value]) => [
    `metadata.${shortened(key)}`,
    shortened(canonicalJson(value as never)),
  ]);
}

function shortened(text: string): string {
  return text.length <= LONGEST ? text : createHash("sha256").update(text).digest("hex");
}
