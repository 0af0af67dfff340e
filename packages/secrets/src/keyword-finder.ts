/** Span of a text in which words must start: at or after `from` and before `to`. */
interface Starts {
  readonly from: number;
  readonly to: number;
}

/** Called with the index of a found word in the list, and its start. */
export type OnWord = (word: number, start: number) => void;

/**
 * Finds many words in a text in one pass, ignoring case (Aho-Corasick). Each character needs one table lookup, independent of the
 * number of words.
 */
export class KeywordFinder {
  readonly #words: readonly string[];
  readonly #longest: number;
  /** Column of each ASCII character; 0 for characters that occur in no word. */
  readonly #columns = new Uint8Array(128);
  readonly #width: number;
  /** Next state for each state and column, as the offset of its row. States that end a word come last. */
  readonly #next: Uint32Array;
  readonly #firstEnd: number;
  /** Words that end in each state from `#firstEnd` on. */
  readonly #ends: readonly (readonly number[])[];

  /** @param words in ASCII lower case. */
  constructor(words: readonly string[]) {
    this.#words = words;
    this.#longest = Math.max(0, ...words.map(({ length }) => length));
    const characters = [...new Set(words.join(""))];
    this.#width = characters.length + 1;
    for (const [index, character] of characters.entries()) {
      this.#columns[character.charCodeAt(0)] = index + 1;
      if (character >= "a" && character <= "z") this.#columns[character.toUpperCase().charCodeAt(0)] = index + 1;
    }
    const nodes = trieOf(words, this.#columns, this.#width);
    const order = [...nodes.filter(({ ends }) => ends.length === 0), ...nodes.filter(({ ends }) => ends.length > 0)];
    const rows = new Map(order.map((node, index) => [node, index * this.#width]));
    this.#next = Uint32Array.from(order.flatMap(({ next }) => next.map((node) => rows.get(node) ?? 0)));
    this.#ends = order.flatMap(({ ends }) => (ends.length === 0 ? [] : [ends]));
    this.#firstEnd = (order.length - this.#ends.length) * this.#width;
  }

  /** Reports words that start in a span, in the order of their ends. */
  find(text: string, { from, to }: Starts, onWord: OnWord): void {
    const [next, columns, firstEnd] = [this.#next, this.#columns, this.#firstEnd];
    const last = Math.min(text.length, to + this.#longest);
    let state = 0;
    for (let at = from; at < last; at++) {
      const code = text.charCodeAt(at);
      state = next[state + (code < 128 ? (columns[code] as number) : 0)] as number;
      if (state < firstEnd) continue;
      for (const word of this.#ends[(state - firstEnd) / this.#width] ?? []) {
        const start = at + 1 - (this.#words[word] as string).length;
        if (start < to) onWord(word, start);
      }
    }
  }
}

/** Finds the same matches in the same order with a regular expression. Faster for short texts, where building the table takes longer. */
export class KeywordPattern {
  readonly #words: readonly string[];
  readonly #longest: number;
  readonly #pattern: RegExp;
  /** Indexes of words in the list, by first letter. */
  readonly #byFirst: ReadonlyMap<string, readonly number[]>;

  /**
   * @param words as for `KeywordFinder`.
   * @param followed patterns that must follow a word: it is not reported anywhere else. Default: none.
   */
  constructor(words: readonly string[], followed: ReadonlyMap<string, string> = new Map()) {
    this.#words = words;
    this.#longest = Math.max(0, ...words.map(({ length }) => length));
    const written = words.toSorted().map((word) => {
      const next = followed.get(word);
      return word.replaceAll(/\W/g, String.raw`\$&`) + (next === undefined ? "" : `(?=${next})`);
    });
    // Without the flag `u`, only ASCII letters match case-insensitively.
    this.#pattern = new RegExp(written.join("|"), "gi");
    this.#byFirst = Map.groupBy(words.keys(), (place) => (words[place] as string).charAt(0));
  }

  /** Works like `find` of `KeywordFinder`. */
  find(text: string, { from, to }: Starts, onWord: OnWord): void {
    const found: { readonly word: number; readonly start: number; readonly end: number }[] = [];
    this.#pattern.lastIndex = from;
    for (let match = this.#pattern.exec(text); match !== null && match.index < to; match = this.#pattern.exec(text)) {
      const start = match.index;
      for (const word of this.#wordsAt(text, start)) found.push({ word, start, end: start + (this.#words[word] as string).length });
      // Another word may start inside this one.
      this.#pattern.lastIndex = start + 1;
    }
    found.sort((left, right) => left.end - right.end || left.start - right.start);
    for (const { word, start } of found) onWord(word, start);
  }

  #wordsAt(text: string, start: number): readonly number[] {
    const here = text.slice(start, start + this.#longest).toLowerCase();
    return (this.#byFirst.get(here.charAt(0)) ?? []).filter((word) => here.startsWith(this.#words[word] as string));
  }
}

interface Node {
  /** Next node by column. */
  readonly next: Node[];
  readonly ends: number[];
}

/** Builds the trie of the words, with missing edges replaced by the edges of the longest suffix that is a prefix of another word. */
function trieOf(words: readonly string[], columns: Uint8Array, width: number): readonly Node[] {
  const root: Node = { next: [], ends: [] };
  for (const [index, word] of words.entries()) {
    let node = root;
    for (let at = 0; at < word.length; at++) {
      const column = columns[word.charCodeAt(at)] as number;
      node = node.next[column] ??= { next: [], ends: [] };
    }
    node.ends.push(index);
  }
  const nodes = [root];
  const fallbacks = new Map<Node, Node>();
  // The list grows during the loop, in breadth-first order.
  for (const node of nodes) {
    const fallback = fallbacks.get(node);
    for (let column = 0; column < width; column++) {
      const child = node.next[column];
      const other = fallback?.next[column] ?? root;
      if (child === undefined) {
        node.next[column] = other;
        continue;
      }
      child.ends.push(...(node === root ? [] : other.ends));
      fallbacks.set(child, node === root ? root : other);
      nodes.push(child);
    }
  }
  return nodes;
}
