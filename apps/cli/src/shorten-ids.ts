const SHORTEST = 8;
/** An id that is only this much longer is shown whole. */
const NOT_WORTH_CUTTING = 3;

/**
 * Returns a function that shortens ids for a table: the first 8 characters, or as many more as tell an id from the others shown.
 *
 * @param width of the output. Output of no known width is read by programs, and keeps whole ids.
 */
export function idShortener(ids: readonly string[], width: number): (id: string) => string {
  if (width === Number.POSITIVE_INFINITY) return (id) => id;
  const sorted = [...new Set(ids)].toSorted();
  const lengths = new Map(
    sorted.map((id, index) => {
      const shared = Math.max(sharedStart(id, sorted[index - 1]), sharedStart(id, sorted[index + 1]));
      return [id, Math.max(SHORTEST, shared + 1)];
    }),
  );
  return (id) => {
    const length = lengths.get(id) ?? SHORTEST;
    return id.length - length <= NOT_WORTH_CUTTING ? id : id.slice(0, length);
  };
}

/** Sorted ids share the most with a neighbour. */
function sharedStart(id: string, other = ""): number {
  let length = 0;
  while (length < id.length && id[length] === other[length]) length += 1;
  return length;
}
