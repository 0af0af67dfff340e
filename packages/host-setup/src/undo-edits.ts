/** A range of an edited text, and the old text in its place; "" for an insertion. */
export type Undo = readonly [from: number, length: number, text: string];

/** Numbers of characters that must match after an insertion. Large numbers are fast; 1 finds every solution. */
const ALIKE = [48, 12, 1] as const;

/**
 * Computes the edits that undo a change. For insertions these are only ranges, so no text of the file is kept, in which
 * people keep keys and tokens.
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

/** `undefined` when the change is more than insertions. */
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

/** The range from the first to the last difference. */
function middleOf(before: string, after: string): Undo {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return [head, after.length - tail - head, before.slice(head, before.length - tail)];
}
