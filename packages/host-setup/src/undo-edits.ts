/** A range of an edited text, and what stood in its place before; for an insertion that is "". */
export type Undo = readonly [from: number, length: number, text: string];

/** Characters by which two texts are found to go on alike after an insertion: with many there are few places, with one all are found that can be. */
const ALIKE = [48, 12, 1] as const;

/**
 * Tells how an edited text becomes again what it was. For insertions that is places alone, so that nothing of a file is kept in which
 * people have keys and tokens.
 */
export function undoOf(before: string, after: string): readonly Undo[] {
  const found = ALIKE.map((alike) => insertionsIn(before, after, alike)).find((each) => each !== undefined && undo(after, each) === before);
  return found ?? [middleOf(before, after)];
}

/** The text as it was. @param undos in the order of their places. */
export function undo(after: string, undos: readonly Undo[]): string {
  let text = after;
  for (const [from, length, was] of undos.toReversed()) text = text.slice(0, from) + was + text.slice(from + length);
  return text;
}

/** `undefined` when something else than insertions is needed. */
function insertionsIn(before: string, after: string, alike: number): readonly Undo[] | undefined {
  const found: Undo[] = [];
  let at = 0;
  for (let old = 0; old < before.length;) {
    if (before.charCodeAt(old) === after.charCodeAt(at)) {
      old += 1;
      at += 1;
      continue;
    }
    const next = after.indexOf(before.slice(old, old + alike), at);
    if (next < 0) return undefined;
    found.push([at, next - at, ""]);
    at = next;
  }
  return at === after.length ? found : [...found, [at, after.length - at, ""]];
}

/** All between the first and the last difference. */
function middleOf(before: string, after: string): Undo {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return [head, after.length - tail - head, before.slice(head, before.length - tail)];
}
