/** Emoji, and scripts whose characters are two terminal columns wide. */
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;

/** Characters that a terminal draws over the previous one, or not at all. */
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

/** Returns the width of a text in terminal columns. */
export function textWidth(text: string): number {
  let width = 0;
  for (const grapheme of graphemes(text)) width += graphemeWidth(grapheme);
  return width;
}

/** Cuts a text at its end to fit, with an ellipsis. */
export function cutText(text: string, most: number): string {
  if (textWidth(text) <= most) return text;
  let cut = "";
  let width = 1;
  for (const grapheme of graphemes(text)) {
    width += graphemeWidth(grapheme);
    if (width > most) break;
    cut += grapheme;
  }
  return `${cut}…`;
}

/** Cuts a text at its beginning to fit, with an ellipsis: the end of a path is more useful. */
export function cutStart(text: string, most: number): string {
  if (textWidth(text) <= most) return text;
  let cut = "";
  let width = 1;
  for (const grapheme of graphemes(text).toReversed()) {
    width += graphemeWidth(grapheme);
    if (width > most) break;
    cut = grapheme + cut;
  }
  return `…${cut}`;
}

let segmenter: Intl.Segmenter | undefined;

/** Splits a text into user-perceived characters. */
function graphemes(text: string): readonly string[] {
  // Fast path for ASCII: loading the tables for other scripts takes milliseconds.
  if (/^[ -~]*$/u.test(text)) return text.split("");
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function graphemeWidth(grapheme: string): number {
  if (INVISIBLE.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}
