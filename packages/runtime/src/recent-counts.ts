/**
 * Cache of token counts, bounded to a few megabytes. Keeps the texts that were used last, and forgets older ones all at once: deleting
 * entries of a `Map` one by one slows it down, since it searches their places too until it grows.
 */
export class RecentCounts {
  #recent = new Map<string, number>();
  #older: ReadonlyMap<string, number> = new Map();
  /** Size of `#recent`. */
  #characters = 0;

  get(text: string): number | undefined {
    const recent = this.#recent.get(text);
    if (recent !== undefined) return recent;
    const older = this.#older.get(text);
    return older === undefined ? undefined : this.set(text, older);
  }

  /** Stores a count and returns it. */
  set(text: string, count: number): number {
    if (text.length > MOST_CHARACTERS_OF_ONE) return count;
    if (!this.#recent.has(text)) this.#characters += text.length + ENTRY_COST;
    this.#recent.set(text, count);
    if (this.#characters > MOST_CHARACTERS / 2) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#characters = 0;
    }
    return count;
  }
}

const MOST_CHARACTERS = 2_097_152;
const MOST_CHARACTERS_OF_ONE = 65_536;
/** Estimated size of an entry besides its text, in characters. */
const ENTRY_COST = 32;
