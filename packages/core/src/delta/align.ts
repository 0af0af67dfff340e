/** Range of equal items at consecutive positions of two lists. */
export interface Run {
  readonly left: number;
  readonly right: number;
  readonly length: number;
}

/**
 * Finds common runs of two lists, in order: equal beginnings and ends, and in between the items that occur once in each list
 * (patience diff), extended to both sides. Not always the longest result, but always in O(n log n), and close to what people
 * would mark.
 */
export function align(left: readonly string[], right: readonly string[]): Run[] {
  const common = commonItems(left, right);
  const shorter = Math.min(left.length, right.length);
  const head = common.after(0, 0, shorter);
  const tail = common.before(left.length, right.length, shorter - head);
  const runs: Run[] = head > 0 ? [{ left: 0, right: 0, length: head }] : [];
  let [fromLeft, fromRight] = [head, head];
  for (const [atLeft, atRight] of increasing(uniquePairs(left, right, { head, tail }))) {
    if (atLeft < fromLeft || atRight < fromRight) continue;
    const before = common.before(atLeft, atRight, Math.min(atLeft - fromLeft, atRight - fromRight));
    const length = before + common.after(atLeft, atRight, Math.min(left.length - tail - atLeft, right.length - tail - atRight));
    const run = { left: atLeft - before, right: atRight - before, length };
    runs.push(run);
    [fromLeft, fromRight] = [run.left + length, run.right + length];
  }
  if (tail > 0) runs.push({ left: left.length - tail, right: right.length - tail, length: tail });
  return runs;
}

interface CommonItems {
  /** Counts the equal items from these positions on, at most `most`. */
  after(left: number, right: number, most: number): number;
  /** Counts the equal items just before these positions, at most `most`. */
  before(left: number, right: number, most: number): number;
}

function commonItems(left: readonly string[], right: readonly string[]): CommonItems {
  return {
    after(atLeft, atRight, most) {
      let length = 0;
      while (length < most && left[atLeft + length] === right[atRight + length]) length += 1;
      return length;
    },
    before(endLeft, endRight, most) {
      let length = 0;
      while (length < most && left[endLeft - 1 - length] === right[endRight - 1 - length]) length += 1;
      return length;
    },
  };
}

/** Returns position pairs, by left position, of items that occur exactly once on each side between head and tail. */
function uniquePairs(
  left: readonly string[],
  right: readonly string[],
  { head, tail }: { readonly head: number; readonly tail: number },
): [number, number][] {
  const places = new Map<string, { left: number; right: number; count: number }>();
  for (let at = head; at < left.length - tail; at++) {
    const item = left[at] as string;
    const place = places.get(item);
    if (place === undefined) places.set(item, { left: at, right: -1, count: 1 });
    else place.count += 1;
  }
  for (let at = head; at < right.length - tail; at++) {
    const place = places.get(right[at] as string);
    if (place === undefined) continue;
    if (place.right >= 0) place.count += 1;
    place.right = at;
  }
  const pairs = [...places.values()].filter((place) => place.count === 1 && place.right >= 0);
  return pairs.map((place) => [place.left, place.right]);
}

/** Returns the longest subsequence of pairs whose right positions increase. */
function increasing(pairs: readonly [number, number][]): [number, number][] {
  const ends: number[] = [];
  const before: number[] = [];
  for (const [index, [, right]] of pairs.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] as number] as [number, number])[1] < right) low = middle + 1;
      else high = middle;
    }
    before[index] = low > 0 ? (ends[low - 1] as number) : -1;
    ends[low] = index;
  }
  const chain: [number, number][] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] as number) chain.push(pairs[at] as [number, number]);
  return chain.reverse();
}
