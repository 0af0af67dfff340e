/** Follows the lines of a Markdown text, and knows which of them are code: what stands in a fence means nothing to a reader of Markdown. */
export class Fences {
  #open: string | undefined;

  /** Whether a line is code, or the beginning or the end of it. To be asked for every line, in their order. */
  isCode(line: string): boolean {
    if (this.#open === undefined) {
      const [, fence = "", info = ""] = /^ {0,3}(```+|~~~+)(.*)$/su.exec(line) ?? [];
      if (fence === "" || (fence.startsWith("`") && info.includes("`"))) return false;
      this.#open = fence;
      return true;
    }
    const [, fence = ""] = /^ {0,3}(```+|~~~+)[ \t]*$/u.exec(line) ?? [];
    if (fence.startsWith(this.#open)) this.#open = undefined;
    return true;
  }

  /** What closes the code that is not closed yet. */
  get closing(): string | undefined {
    return this.#open;
  }
}

/** A fence that nothing inside of a text can close. */
export function fenceAround(text: string): string {
  let longest = 2;
  for (const run of text.match(/```+/gu) ?? []) longest = Math.max(longest, run.length);
  return "`".repeat(longest + 1);
}

/** What begins a comment, a fold, or raw text in HTML, and ends who knows where. */
const HTML_OPENER = /^( {0,3})<(?=!|\?|\/?(?:details|pre|script|style|textarea)\b)/iu;

/**
 * A Markdown text that ends what it begins, so that it means the same whatever stands before and behind it: code is closed,
 * and what would swallow the rest of a page is shown as it is written.
 *
 * @param isTaken whether a line is a heading that only the page itself may have.
 */
export function selfContained(text: string, isTaken: (line: string) => boolean): string {
  const fences = new Fences();
  const lines = text.split("\n").map((line) => {
    if (fences.isCode(line)) return line;
    return isTaken(line) ? line.replace("#", "\\#") : line.replace(HTML_OPENER, "$1\\<");
  });
  return [...lines, ...(fences.closing === undefined ? [] : [fences.closing])].join("\n");
}
