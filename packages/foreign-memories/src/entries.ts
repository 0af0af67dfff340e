import type { Context, JsonValue } from "@workrail/core";

/** Collects the entries of a context under unique keys. */
export class Entries {
  readonly #values = new Map<string, JsonValue>();
  /** The last number that was appended to a key. The lower ones are taken. */
  readonly #numbers = new Map<string, number>();

  get size(): number {
    return this.#values.size;
  }

  /** Adds an entry. Appends a number to the key if it is taken. Returns the key. */
  add(wanted: string, value: JsonValue): string {
    const key = this.#free(wanted);
    this.#values.set(key, value);
    return key;
  }

  /** Returns the entries as an object, even one named `__proto__`. */
  toContext(): Context {
    return Object.fromEntries(this.#values);
  }

  #free(wanted: string): string {
    if (!this.#values.has(wanted)) return wanted;
    for (let count = (this.#numbers.get(wanted) ?? 1) + 1; ; count++) {
      const key = `${wanted} (${count})`;
      if (this.#values.has(key)) continue;
      this.#numbers.set(wanted, count);
      return key;
    }
  }
}
