import type { Context, JsonValue } from "@workrail/core";

/** Collects the entries of a context under unique keys. */
export class Entries {
  readonly #values = new Map<string, JsonValue>();

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
    let key = wanted;
    for (let count = 2; this.#values.has(key); count++) key = `${wanted} (${count})`;
    return key;
  }
}
