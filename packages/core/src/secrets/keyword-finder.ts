/** Told of a word, by its place in the list, and where it begins. */
export type OnWord = (word: number, start: number) => void;

/**
 * Finds many words in a text in one pass, whatever their case (Aho and Corasick). A character is looked at once, however many
 * words there are: one look into a table says what may have begun with it.
 */
export class KeywordFinder {
  readonly #words: readonly string[];
  readonly #longest: number;
  /** The column of each ASCII character; 0 is for all that stand in no word. */
  readonly #columns = new Uint8Array(128);
  readonly #width: number;
  /** For each state and column the next state, as the offset of its row. Those that end a word come last. */
  readonly #next: Uint32Array;
  readonly #firstEnd: number;
  /** The words that end with each state from `#firstEnd` on. */
  readonly #ends: readonly (readonly number[])[];

  /** @param words ASCII, in small letters. */
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

  /** Tells of those that begin from `from` on and before `to`, in the order in which they end. */
  find(text: string, from: number, to: number, onWord: OnWord): void {
    const [next, columns, firstEnd] = [this.#next, this.#columns, this.#firstEnd];
    const last = Math.min(text.length, to + this.#longest);
    let state = 0;
    for (let at = from; at < last; at++) {
      const code = text.charCodeAt(at);
      state = next[state + (code < 128 ? (columns[code] as number) : 0)] as number;
      if (state >= firstEnd) this.#tell(state, at + 1, to, onWord);
    }
  }

  #tell(state: number, end: number, to: number, onWord: OnWord): void {
    for (const word of this.#ends[(state - this.#firstEnd) / this.#width] ?? []) {
      const start = end - (this.#words[word] as string).length;
      if (start < to) onWord(word, start);
    }
  }
}

/** Finds the same matches in the same order with a pattern. Faster for short texts, where building a table takes longer. */
export class KeywordPattern {
  readonly #words: readonly string[];
  readonly #longest: number;
  readonly #pattern: RegExp;
  /** Indexes of words in the list, by their first letters. */
  readonly #byFirst: ReadonlyMap<string, readonly number[]>;

  /** @param words as for a `KeywordFinder`. */
  constructor(words: readonly string[]) {
    this.#words = words;
    this.#longest = Math.max(0, ...words.map(({ length }) => length));
    // Without the flag "u", only ASCII letters match their capitals.
    this.#pattern = new RegExp(words.map((word) => word.replaceAll(/\W/g, String.raw`\$&`)).join("|"), "gi");
    this.#byFirst = Map.groupBy(words.keys(), (place) => (words[place] as string).charAt(0));
  }

  /** Like `find` of a `KeywordFinder`. */
  find(text: string, from: number, to: number, onWord: OnWord): void {
    const found: { readonly word: number; readonly start: number; readonly end: number }[] = [];
    this.#pattern.lastIndex = from;
    for (let match = this.#pattern.exec(text); match !== null && match.index < to; match = this.#pattern.exec(text)) {
      const start = match.index;
      for (const word of this.#wordsAt(text, start)) found.push({ word, start, end: start + (this.#words[word] as string).length });
      // Another word may begin within this one.
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
  /** For each column. */
  readonly next: Node[];
  readonly ends: number[];
}

/** The trie of the words, with every way that leads out of it led back to the longest end that may begin another word. */
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
  // Grows while it is gone through, those nearer to the root first.
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
