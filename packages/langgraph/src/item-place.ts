import type { MatchCondition } from "@langchain/langgraph-checkpoint";
import type { CheckpointLabels, CheckpointMetadata as SavedMetadata } from "@workrail/runtime";
import { shortened } from "./labels.ts";

/** Names an item as LangGraph does. */
export interface ItemPlace {
  readonly namespace: readonly string[];
  readonly key: string;
}

/** Longest prefix of a namespace with a tag of its own. Longer ones are compared with the labels themselves. */
const DEEPEST = 32;

/** Returns the labels of one version of an item: a tag of the item, and one for each prefix of its namespace. */
export function itemLabels(
  sessionId: string,
  place: ItemPlace,
  { createdAt, isIndexed }: { readonly createdAt: string | undefined; readonly isIndexed: boolean },
): CheckpointLabels {
  const { namespace, key } = place;
  const prefixes = namespace.slice(0, DEEPEST).map((_, index) => prefixTag(namespace.slice(0, index + 1)));
  return {
    tags: [itemTag(sessionId, place), ...prefixes],
    attributes: {
      item_namespace: namespace,
      item_key: key,
      series: itemTag(sessionId, place),
      ...(createdAt === undefined ? {} : { item_created_at: createdAt }),
      ...(isIndexed ? {} : { item_index: false }),
    },
  };
}

/** Returns the place of an item, from the labels of one of its versions. */
export function itemPlaceIn({ attributes = {} }: SavedMetadata): ItemPlace {
  return { namespace: attributes["item_namespace"] as string[], key: attributes["item_key"] as string };
}

/** Returns when an item was first put, from the labels of one of its versions. */
export function itemCreatedAt({ attributes, createdAt }: SavedMetadata): string {
  return (attributes?.["item_created_at"] as string | undefined) ?? createdAt;
}

/** False for an item that was put with `index: false`. */
export function isIndexed({ attributes }: SavedMetadata): boolean {
  return attributes?.["item_index"] !== false;
}

/** Returns the tag of an item. It names the session too: a tag is found by an index, and the rows of a session are not. */
export function itemTag(sessionId: string, { namespace, key }: ItemPlace): string {
  return `item:${shortened(JSON.stringify([sessionId, namespace, key]))}`;
}

/** Returns the tags that every item under a prefix has. */
export function tagsUnder(prefix: readonly string[]): readonly string[] {
  return prefix.length === 0 ? [] : [prefixTag(prefix.slice(0, DEEPEST))];
}

function prefixTag(prefix: readonly string[]): string {
  return `in:${shortened(JSON.stringify(prefix))}`;
}

/** True when a namespace begins, or ends, with a path, in which `*` is any label. */
export function meetsCondition(namespace: readonly string[], { matchType, path }: MatchCondition): boolean {
  if (path.length > namespace.length) return false;
  const part = matchType === "prefix" ? namespace : namespace.slice(namespace.length - path.length);
  return path.every((label, index) => label === "*" || label === part[index]);
}
