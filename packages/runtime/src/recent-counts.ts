/** LRU cache of token counts, bounded to a few megabytes. */
export class RecentCounts {
  readonly #counts = new Map<string, number>();
  #characters = 0;

  get(text: string): number | undefined {
    const count = this.#counts.get(text);
    if (count === undefined) return undefined;
    this.#counts.delete(text);
    this.#counts.set(text, count);
    return count;
  }

  /** Stores a count and returns it. */
  set(text: string, count: number): number {
    if (text.length > MOST_CHARACTERS_OF_ONE) return count;
    if (!this.#counts.has(text)) this.#characters += text.length + ENTRY_COST;
    this.#counts.set(text, count);
    for (const [oldest] of this.#counts) {
      if (this.#characters <= MOST_CHARACTERS) break;
      this.#counts.delete(oldest);
      this.#characters -= oldest.length + ENTRY_COST;
    }
    return count;
  }
}

const MOST_CHARACTERS = 2_097_152;
const MOST_CHARACTERS_OF_ONE = 65_536;
/** Estimated size of an entry besides its text, in characters. */
const ENTRY_COST = 32;
