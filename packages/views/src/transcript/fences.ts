/** Tracks fenced code in a Markdown text line by line. Markdown in a fence has no meaning. */
export class Fences {
  #open: string | undefined;

  /** Tells whether a line is code, or a fence. Must be called for every line in order. */
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

  /** Fence that closes the open code block; `undefined` outside code. */
  get closing(): string | undefined {
    return this.#open;
  }
}

/** Returns a fence that the text cannot close. */
export function fenceAround(text: string): string {
  let longest = 2;
  for (const run of text.match(/```+/gu) ?? []) longest = Math.max(longest, run.length);
  return "`".repeat(longest + 1);
}

/** Start of an HTML comment, fold, or raw text, which may end anywhere. */
const HTML_OPENER = /^( {0,3})<(?=!|\?|\/?(?:details|pre|script|style|textarea)\b)/iu;

/**
 * Makes a Markdown text self-contained, so that the surrounding page does not affect its meaning and vice versa: closes open
 * code, and escapes markup that would swallow the rest of the page.
 *
 * @param isTaken tells whether a line is a heading reserved for the page itself.
 */
export function selfContained(text: string, isTaken: (line: string) => boolean): string {
  const fences = new Fences();
  const lines = text.split("\n").map((line) => {
    if (fences.isCode(line)) return line;
    return isTaken(line) ? line.replace("#", "\\#") : line.replace(HTML_OPENER, "$1\\<");
  });
  return [...lines, ...(fences.closing === undefined ? [] : [fences.closing])].join("\n");
}
