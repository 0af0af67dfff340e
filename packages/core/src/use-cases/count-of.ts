/** How many there are: gone through once, for those who want to know how far they are. */
export async function countOf(all: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of all) count += 1;
  return count;
}
