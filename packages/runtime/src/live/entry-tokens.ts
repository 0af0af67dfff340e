import type { Context, JsonValue, TokenCounter } from "@workrail/core";

/** Counts the tokens of a changing context, recounting only changed entries. Values must not change in place. */
export class EntryTokens {
  readonly #counter: TokenCounter;
  readonly #known = new Map<string, { readonly value: JsonValue; readonly tokens: number }>();

  constructor(counter: TokenCounter) {
    this.#counter = counter;
  }

  /** Returns the tokens of all entries as JSON, each counted separately. */
  async ofAll(context: Context): Promise<number> {
    let sum = 0;
    for (const [key, value] of Object.entries(context)) sum += await this.#of(key, value);
    for (const key of this.#known.keys()) if (!Object.hasOwn(context, key)) this.#known.delete(key);
    return sum;
  }

  async #of(key: string, value: JsonValue): Promise<number> {
    const known = this.#known.get(key);
    if (known?.value === value) return known.tokens;
    const tokens = await this.#counter.count(`${JSON.stringify(key)}:${JSON.stringify(value)},`);
    this.#known.set(key, { value, tokens });
    return tokens;
  }
}
