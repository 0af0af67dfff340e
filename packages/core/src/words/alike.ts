/** Returns the largest edit distance to a term that still counts as alike. Also bounds the difference in length. */
export function maxDistance(term: string): number {
  return term.length < 4 ? 0 : term.length < 8 ? 1 : 2;
}

/** True when two terms differ by at most one letter, or two in longer terms: replaced, inserted, deleted, or swapped. */
export function isAlike(term: string, other: string): boolean {
  const most = maxDistance(term);
  if (Math.abs(term.length - other.length) > most) return false;
  return !areOtherLetters(lettersIn(term), lettersIn(other), most) && editDistance(term, other, most) <= most;
}

/** Bit set of the letters in a text. Some letters share a bit. */
function lettersIn(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at++) letters |= 1 << (text.charCodeAt(at) & 31);
  return letters;
}

/** True when the letters alone prove more than `most` changes. This quickly rules out most words. */
function areOtherLetters(one: number, other: number, most: number): boolean {
  return isMoreThan(one & ~other, most) || isMoreThan(other & ~one, most);
}

/** True when more than `most` bits are set. */
function isMoreThan(bits: number, most: number): boolean {
  let rest = bits;
  for (let count = 0; rest !== 0; count++, rest &= rest - 1) if (count === most) return true;
  return false;
}

/** Returns the distance by optimal string alignment; any number above `most` when the distance exceeds `most`. */
export function editDistance(one: string, other: string, most: number): number {
  // A common prefix and a common suffix need no changes.
  let begin = 0;
  while (begin < one.length && one[begin] === other[begin]) begin++;
  let [end, otherEnd] = [one.length, other.length];
  for (; end > begin && otherEnd > begin && one[end - 1] === other[otherEnd - 1]; end--) otherEnd--;
  return fullDistance(one.slice(begin, end), other.slice(begin, otherEnd), most);
}

function fullDistance(one: string, other: string, most: number): number {
  if (one === "" || other === "") return Math.max(one.length, other.length);
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
