import { BACKSLASH, BRACE, BRACKET, COLON, COMMA, END_BRACE, END_BRACKET, LINE_FEED, QUOTE, WorkrailError } from "@workrail/core";

/** Limits of one value, so that hostile text is refused before it fills the memory. */
export interface ValueLimits {
  readonly maxLength: number;
  readonly maxDepth: number;
}

/** Splits JSON text that comes in chunks into the texts of its values, reading no more than needed. */
export class JsonScanner {
  readonly #chunks: AsyncIterator<string>;
  #text = "";
  #at = 0;
  #line = 1;

  constructor(chunks: AsyncIterable<string>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Current line, from 1. */
  get line(): number {
    return this.#line;
  }

  /** Returns the next character that is not white space; `undefined` at the end. */
  async peek(): Promise<string | undefined> {
    for (;;) {
      for (; this.#at < this.#text.length; this.#at++) {
        const code = this.#text.charCodeAt(this.#at);
        if (code === LINE_FEED) this.#line += 1;
        else if (!isSpace(code)) return this.#text[this.#at];
      }
      if (!(await this.#readMore())) return undefined;
    }
  }

  /** Skips the next character and returns true if it is `character`. */
  async take(character: string): Promise<boolean> {
    if ((await this.peek()) !== character) return false;
    this.#at += 1;
    return true;
  }

  /**
   * Returns the text of the next value. Only its brackets and quotes are checked.
   *
   * @throws TOO_LARGE, or INVALID_INPUT for a value that is nested too deeply or unterminated.
   */
  async value(limits: ValueLimits): Promise<string> {
    await this.peek();
    const parts: string[] = [];
    const end = new ValueEnd(limits.maxDepth);
    for (let length = 0; ;) {
      const at = end.find(this.#text, this.#at);
      const part = this.#text.slice(this.#at, at);
      length += part.length;
      if (length > limits.maxLength) throw tooLong(limits);
      parts.push(part);
      this.#at = at ?? this.#text.length;
      if (at !== undefined || (!(await this.#readMore()) && end.mayBeHere)) break;
      if (this.#at >= this.#text.length) throw new WorkrailError("INVALID_INPUT", "It is not terminated.");
    }
    this.#line += end.lineFeeds;
    return join(parts, limits);
  }

  /** Releases the source of the text, at any position. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #readMore(): Promise<boolean> {
    for (;;) {
      const { done, value } = await this.#chunks.next();
      if (done === true) return false;
      if (value === "") continue;
      this.#text = value;
      this.#at = 0;
      return true;
    }
  }
}

/** Finds the end of a value across chunks. */
class ValueEnd {
  readonly #maxDepth: number;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  lineFeeds = 0;

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
  }

  /** True when the value may end at the end of the text, as a number can. */
  get mayBeHere(): boolean {
    return this.#depth === 0 && !this.#isInText;
  }

  /** Returns the index after the value; `undefined` when it continues in the next chunk. */
  find(text: string, from: number): number | undefined {
    for (let index = from; index < text.length; index++) {
      if (this.#isInText) {
        const after = this.#afterText(text, index);
        if (after === undefined || this.#depth === 0) return after;
        index = after;
        if (index === text.length) return undefined;
      }
      const code = text.charCodeAt(index);
      if (code === QUOTE) this.#isInText = true;
      else if (code === BRACE || code === BRACKET) this.#deeper();
      else if (code === END_BRACE || code === END_BRACKET) {
        if (this.#depth === 0) return index;
        this.#depth -= 1;
        if (this.#depth === 0) return index + 1;
      } else if (this.#depth === 0 && (code === COMMA || code === COLON || code === LINE_FEED || isSpace(code))) return index;
      else if (code === LINE_FEED) this.lineFeeds += 1;
    }
    return undefined;
  }

  #deeper(): void {
    this.#depth += 1;
    if (this.#depth > this.#maxDepth) throw new WorkrailError("INVALID_INPUT", `It is nested deeper than ${this.#maxDepth} levels.`);
  }

  /** Returns the index after the closing quote; `undefined` when the string continues in the next chunk. */
  #afterText(text: string, from: number): number | undefined {
    for (let begin = this.#isEscaped ? from + 1 : from; ;) {
      const quote = text.indexOf('"', begin);
      const end = quote === -1 ? text.length : quote;
      let backslashes = 0;
      while (end - backslashes > begin && text.charCodeAt(end - backslashes - 1) === BACKSLASH) backslashes += 1;
      this.#isEscaped = backslashes % 2 === 1;
      if (quote === -1) return undefined;
      begin = quote + 1;
      if (this.#isEscaped) continue;
      this.#isInText = false;
      return begin;
    }
  }
}

function join(parts: readonly string[], limits: ValueLimits): string {
  try {
    return parts.join("");
  } catch (cause) {
    // The engine's longest string is shorter than the limit.
    throw tooLong(limits, cause);
  }
}

function tooLong({ maxLength }: ValueLimits, cause?: unknown): WorkrailError {
  return new WorkrailError("TOO_LARGE", `It is longer than ${maxLength} characters.`, {
    details: { limit: "maxContextBytes", maxLength },
    hint: "Set a higher WORKRAIL_MAX_CONTEXT_BYTES to import it.",
    cause,
  });
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0d || code === 0x09 || code === LINE_FEED;
}
