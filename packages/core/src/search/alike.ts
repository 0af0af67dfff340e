/** Whether two terms are the same but for a letter, or in longer ones two: another, one more, one less, or two that changed places. */
export function isAlike(term: string, other: string): boolean {
  const most = term.length < 4 ? 0 : term.length < 8 ? 1 : 2;
  return Math.abs(term.length - other.length) <= most && distance(term, other, most) <= most;
}

/** Optimal string alignment; any number above `most` when it is above. */
function distance(one: string, other: string, most: number): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let down = 1; down <= one.length; down++) {
    const next = [down];
    for (let right = 1; right <= other.length; right++) {
      const same = one[down - 1] === other[right - 1] ? 0 : 1;
      let least = Math.min((row[right] as number) + 1, (next[right - 1] as number) + 1, (row[right - 1] as number) + same);
      const isSwapped = one[down - 1] === other[right - 2] && one[down - 2] === other[right - 1];
      if (isSwapped && down > 1 && right > 1) least = Math.min(least, (before[right - 2] as number) + 1);
      next.push(least);
    }
    if (Math.min(...next) > most) return most + 1;
    [before, row] = [row, next];
  }
  return row.at(-1) as number;
}
