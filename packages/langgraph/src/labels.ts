import { createHash } from "node:crypto";
import { JsonPlusSerializer, type SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { canonicalJson } from "@workrail/core";
import type { CheckpointLabels, CheckpointMetadata as SavedMetadata } from "@workrail/runtime";
import type { Place } from "./place.ts";
import { toTypedValue } from "./typed-value.ts";

/** Keys of metadata by which checkpoints can be listed. A graph has a few; each takes room in the catalog. */
const MOST_KEYS = 64;
/** Longer keys and values are compared by their digest. */
const LONGEST = 90;
/** Characters that no tag may have: NUL and lone surrogates. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;
const JSON_PLUS = new JsonPlusSerializer();

/** Returns the labels under which a store keeps a checkpoint: its place and its parent, and tags to find it by. */
export async function labelsOf(
  serde: SerializerProtocol,
  { threadId, namespace, id }: Place,
  { parent, metadata }: { readonly parent: string | undefined; readonly metadata: object },
): Promise<CheckpointLabels> {
  return {
    tags: [namespaceTag(namespace), ...(await metadataTags(serde, metadata)).slice(0, MOST_KEYS)],
    attributes: {
      thread_id: threadId,
      checkpoint_ns: namespace,
      checkpoint_id: id,
      ...(parent === undefined ? {} : { parent_checkpoint_id: parent }),
      series: seriesOf(namespace),
    },
  };
}

/** Returns the place of a checkpoint, from its labels. */
export function placeIn({ attributes }: SavedMetadata): Place & { readonly parent: string | undefined } {
  const { thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id } = (attributes ?? {}) as Record<string, string>;
  return { threadId: thread_id ?? "", namespace: checkpoint_ns ?? "", id: checkpoint_id ?? "", parent: parent_checkpoint_id };
}

export function namespaceTag(namespace: string): string {
  return `ns:${shortened(namespace)}`;
}

/** Returns a tag for each member of metadata, such as `source:"loop"`. Equal values have equal tags. */
export async function metadataTags(serde: SerializerProtocol, metadata: object): Promise<readonly string[]> {
  const typed = await toTypedValue(serde, metadata);
  if (!("json" in typed)) return [];
  return Object.entries(typed.json as object).map(([key, value]) => `${shortened(key)}:${shortened(canonicalJson(value as never))}`);
}

/** Compares the members of metadata with those of a filter, as their tags in a store are compared. */
export async function meetsMetadataFilter(metadata: object | undefined, filter: object): Promise<boolean> {
  const [own, wanted] = await Promise.all([metadataTags(JSON_PLUS, metadata ?? {}), metadataTags(JSON_PLUS, filter)]);
  return wanted.every((tag) => own.includes(tag));
}

/** The states of one subgraph are alike, whichever task ran it: its namespace without the ids of tasks. */
function seriesOf(namespace: string): string {
  return namespace
    .split("|")
    .map((part) => part.split(":")[0])
    .join("|");
}

/** Returns the text itself, or its digest if it is too long for a tag or has characters that a tag may not have. */
export function shortened(text: string): string {
  return text.length <= LONGEST && !UNSTORABLE.test(text) ? text : createHash("sha256").update(text).digest("hex");
}
