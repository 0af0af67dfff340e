/** A map that tracks which entries changed, so that only these have to be written down. */
export class Table<K, V> {
  readonly #entries = new Map<K, V>();
  /** Changed keys. `undefined` until the first `takeChanges`: without calls, nothing is collected. */
  #changed: Set<K> | undefined;
  readonly #weigh: ((value: V) => number) | undefined;
  readonly #weights = new Map<K, number>();
  #weight = 0;

  /** @param weigh returns the weight of an entry. Default: no weight. */
  constructor(weigh?: (value: V) => number) {
    this.#weigh = weigh;
  }

  /** Sum of the weights of all entries. */
  get weight(): number {
    return this.#weight;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  values(): readonly V[] {
    return [...this.#entries.values()];
  }

  entries(): readonly (readonly [key: K, value: V])[] {
    return [...this.#entries];
  }

  set(key: K, value: V): void {
    this.#entries.set(key, value);
    this.touch(key);
  }

  /** Sets the entries that have a value, and deletes the others. */
  put(entries: readonly (readonly [key: K, value: V | null])[]): void {
    for (const [key, value] of entries) {
      if (value === null) this.delete(key);
      else this.set(key, value);
    }
  }

  /** Deletes an entry. True when it existed. */
  delete(key: K): boolean {
    const isThere = this.#entries.delete(key);
    this.touch(key);
    return isThere;
  }

  /** Notes that an entry's value was changed in place. */
  touch(key: K): void {
    this.#changed?.add(key);
    if (this.#weigh === undefined) return;
    const value = this.#entries.get(key);
    const weight = value === undefined ? 0 : this.#weigh(value);
    this.#weight += weight - (this.#weights.get(key) ?? 0);
    if (value === undefined) this.#weights.delete(key);
    else this.#weights.set(key, weight);
  }

  /** Reorders the entries, which does not count as a change. */
  sort(compare: (one: V, other: V) => number): void {
    const inOrder = this.entries().toSorted(([, one], [, other]) => compare(one, other));
    this.#entries.clear();
    for (const [key, value] of inOrder) this.#entries.set(key, value);
  }

  /** Returns the entries that changed since the last call, with `null` for deleted ones; the first call returns all. */
  takeChanges(): readonly (readonly [key: K, value: V | null])[] {
    const keys = this.#changed ?? this.#entries.keys();
    const changes = [...keys].map((key) => [key, this.#entries.get(key) ?? null] as const);
    this.#changed = new Set();
    return changes;
  }
}
