import type { KeyValues } from "../src/key-values.ts";

/** Key-value store in a map. */
export function mapKeyValues(values: Map<string, Uint8Array> = new Map()): KeyValues {
  return {
    get: async (key) => values.get(key),
    async putIfAbsent(key, value) {
      if (values.has(key)) return false;
      values.set(key, Uint8Array.from(value));
      return true;
    },
    delete: async (key) => void values.delete(key),
    async *list(prefix) {
      yield* [...values.keys()].filter((key) => key.startsWith(prefix));
    },
  };
}
