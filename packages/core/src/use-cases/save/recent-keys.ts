import type { Context } from "../../model/context.ts";
import type { Digest } from "../../model/ids.ts";

/** Most contexts whose keys are kept, and most keys of one. */
const MOST_CONTEXTS = 100;
const MOST_KEYS = 1_000;

/** Keys of the contexts that were saved last, by exact digest: a save that keeps all of them need not read its parent. */
export class RecentKeys {
  readonly #keys = new Map<Digest, readonly string[]>();

  add(digest: Digest, context: Context): void {
    const keys = Object.keys(context);
    if (keys.length > MOST_KEYS) return;
    this.#keys.delete(digest);
    this.#keys.set(digest, keys);
    const [oldest] = this.#keys.keys();
    if (this.#keys.size > MOST_CONTEXTS && oldest !== undefined) this.#keys.delete(oldest);
  }

  /** True when a context is known to have each key of the context with this digest. */
  areAllIn(context: Context, digest: Digest): boolean {
    return this.#keys.get(digest)?.every((key) => Object.hasOwn(context, key)) === true;
  }
}
