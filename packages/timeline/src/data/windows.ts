/** A part of a text. */
export interface Window {
  readonly offset: number;
  readonly end: number;
}

/** Characters before the first difference. */
const AROUND = 400;
const LONGEST = 20_000;

/** Returns the parts of two long texts that differ: without what both begin and end with, and at most some thousand characters. */
export function windowsOf(from: string, to: string): { readonly from: Window; readonly to: Window } {
  const least = Math.min(from.length, to.length);
  let begin = 0;
  while (begin < least && from.charCodeAt(begin) === to.charCodeAt(begin)) begin += 1;
  let tail = 0;
  while (tail < least - begin && from.charCodeAt(from.length - 1 - tail) === to.charCodeAt(to.length - 1 - tail)) tail += 1;
  const offset = Math.max(0, begin - AROUND);
  const window = ({ length }: string): Window => ({ offset, end: Math.min(length, offset + LONGEST, length - tail + AROUND) });
  return { from: window(from), to: window(to) };
}
