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
  const head = commonHead(left, right, 0, 0);
  const tail = commonTail(left, right, head, head);
  const runs: Run[] = head > 0 ? [{ left: 0, right: 0, length: head }] : [];
  let [fromLeft, fromRight] = [head, head];
  for (const [atLeft, atRight] of increasing(uniquePairs(left, right, head, tail))) {
    if (atLeft < fromLeft || atRight < fromRight) continue;
    const before = commonTailBefore(left, right, atLeft, atRight, fromLeft, fromRight);
    const length = before + commonHead(left, right, atLeft, atRight, left.length - tail, right.length - tail);
    const run = { left: atLeft - before, right: atRight - before, length };
    runs.push(run);
    [fromLeft, fromRight] = [run.left + length, run.right + length];
  }
  if (tail > 0) runs.push({ left: left.length - tail, right: right.length - tail, length: tail });
  return runs;
}

function commonHead(
  left: readonly string[],
  right: readonly string[],
  fromLeft: number,
  fromRight: number,
  endLeft = left.length,
  endRight = right.length,
): number {
  const most = Math.min(endLeft - fromLeft, endRight - fromRight);
  let length = 0;
  while (length < most && left[fromLeft + length] === right[fromRight + length]) length += 1;
  return length;
}

function commonTail(left: readonly string[], right: readonly string[], fromLeft: number, fromRight: number): number {
  return commonTailBefore(left, right, left.length, right.length, fromLeft, fromRight);
}

function commonTailBefore(
  left: readonly string[],
  right: readonly string[],
  endLeft: number,
  endRight: number,
  fromLeft: number,
  fromRight: number,
): number {
  const most = Math.min(endLeft - fromLeft, endRight - fromRight);
  let length = 0;
  while (length < most && left[endLeft - 1 - length] === right[endRight - 1 - length]) length += 1;
  return length;
}

/** Returns position pairs, by left position, of items that occur exactly once on each side between head and tail. */
function uniquePairs(left: readonly string[], right: readonly string[], head: number, tail: number): [number, number][] {
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
