import type { JsonValue } from "@workrail/core";

/** An item of a list that stands only in the old list, or only in the new one. */
export interface LoneItem {
  readonly place: number;
  readonly item: JsonValue;
}

/** Comparisons of items, above which only the places count. */
const MOST_COMPARISONS = 2_500;
/** Words of an item that are compared. */
const MOST_WORDS = 200;
/** Share of the words that two states of one item have in common. */
const LEAST_ALIKE = 1 / 2;

/**
 * Finds for each new item of a list the old item that it was before it changed: the one with most words in common, or the one at the same
 * place with the same members. Items that carry different ids are different.
 *
 * @returns the old places by the new ones.
 */
export function pairItems(removed: readonly LoneItem[], added: readonly LoneItem[]): ReadonlyMap<number, number> {
  const isFew = removed.length * added.length <= MOST_COMPARISONS;
  const words = new Map([...removed, ...added].map((each) => [each, isFew ? wordsOf(each.item).slice(0, MOST_WORDS) : []] as const));
  const candidates = added.flatMap((to) =>
    removed.flatMap((from) => {
      if (!isFew && from.place !== to.place) return [];
      const alike = likenessOf(from, to, words);
      return alike >= LEAST_ALIKE ? [{ from: from.place, to: to.place, alike }] : [];
    }),
  );
  const pairs = new Map<number, number>();
  const used = new Set<number>();
  const distance = ({ from, to }: { readonly from: number; readonly to: number }): number => Math.abs(from - to);
  for (const each of candidates.toSorted((left, right) => right.alike - left.alike || distance(left) - distance(right))) {
    if (pairs.has(each.to) || used.has(each.from)) continue;
    pairs.set(each.to, each.from);
    used.add(each.from);
  }
  return pairs;
}

function likenessOf(from: LoneItem, to: LoneItem, words: ReadonlyMap<LoneItem, readonly string[]>): number {
  if (typeof from.item !== typeof to.item || Array.isArray(from.item) !== Array.isArray(to.item)) return 0;
  const [before, after] = [idOf(from.item), idOf(to.item)];
  if (before !== undefined && after !== undefined && before !== after) return 0;
  const isInPlace = from.place === to.place && typeof to.item === "object" && membersOf(from.item) === membersOf(to.item);
  return Math.max(isInPlace ? LEAST_ALIKE : 0, common(words.get(from) ?? [], words.get(to) ?? []));
}

/** Identifies an item even when it changes: its id, key or name. */
export function idOf(item: JsonValue | undefined): string | undefined {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return undefined;
  const { id, key, name } = item as { readonly [member: string]: JsonValue };
  const own = id ?? key ?? name;
  return typeof own === "string" || typeof own === "number" ? String(own) : undefined;
}

function membersOf(item: JsonValue): string {
  return item === null ? "" : Object.keys(item).toSorted().join("\n");
}

/** The words of a value, without the names of its members. */
function wordsOf(item: JsonValue): readonly string[] {
  if (typeof item === "object" && item !== null) return Object.values(item).flatMap(wordsOf);
  return (
    String(item)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu) ?? []
  );
}

/** Characters of the words that both have, as a share of all. */
function common(left: readonly string[], right: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const word of left) counts.set(word, (counts.get(word) ?? 0) + 1);
  const size = (words: readonly string[]): number => words.reduce((sum, word) => sum + word.length, 0);
  const both = right.filter((word) => {
    const count = counts.get(word) ?? 0;
    counts.set(word, count - 1);
    return count > 0;
  });
  return (2 * size(both)) / Math.max(1, size(left) + size(right));
}
