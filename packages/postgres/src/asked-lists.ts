import type { AskedDocuments, WordLists } from "@workrail/search";

/** Word lists that are read from elsewhere: what is missing is read for all at once, and the work done again. */
export class AskedLists implements WordLists {
  readonly comeTogether = true;
  readonly #known = new Map<string, readonly number[]>();
  readonly #missing = new Map<string, AskedDocuments>();
  readonly #read: (asked: readonly AskedDocuments[]) => Promise<readonly (readonly number[])[]>;

  constructor(read: (asked: readonly AskedDocuments[]) => Promise<readonly (readonly number[])[]>) {
    this.#read = read;
  }

  awaits(term: string): boolean {
    return [...this.#missing.values()].some(({ words }) => words.length === 1 && words[0] === term);
  }

  /** Returns none for a list that was not read yet. */
  numbers(asked: AskedDocuments): readonly number[] {
    const key = JSON.stringify(asked);
    const known = this.#known.get(key);
    if (known === undefined) this.#missing.set(key, asked);
    return known ?? [];
  }

  /** Does work until it asks for nothing new. It must depend on nothing but the lists. */
  async complete<T>(work: () => T): Promise<T> {
    for (;;) {
      this.#missing.clear();
      const result = work();
      if (this.#missing.size === 0) return result;
      const missing = [...this.#missing];
      const found = await this.#read(missing.map(([, asked]) => asked));
      for (const [at, [key]] of missing.entries()) this.#known.set(key, found[at] ?? []);
    }
  }
}
