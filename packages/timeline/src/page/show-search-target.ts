import { patternOf } from "./safe-text.tsx";

/** The part of a text that is shown, and the place in it that is sought. */
export interface SearchTargetText {
  readonly text: string;
  readonly words: readonly string[];
  /** Character of the text. Default: its beginning. */
  readonly at?: number | undefined;
}

/** Brings the marked word at a place into view and gives it the focus, so that the keyboard goes on from there. */
export function showSought(box: Element, { text, words, at = 0 }: SearchTargetText): void {
  const pattern = patternOf(words);
  const before = pattern === undefined ? 0 : Array.from(text.slice(0, at).matchAll(pattern)).length;
  const marks = box.querySelectorAll<HTMLElement>("mark.hit");
  focusOn(marks[before] ?? marks[0]);
}

/** Brings an element into the middle of the view and gives it the focus. */
export function focusOn(element: HTMLElement | undefined | null): void {
  if (element === undefined || element === null) return;
  if (element.tabIndex < 0) element.tabIndex = -1;
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: "center" });
}
