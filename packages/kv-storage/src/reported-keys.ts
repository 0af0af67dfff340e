import { isWorkrailError, WorkrailError } from "@workrail/core";
import type { KeyValues } from "./key-values.ts";

/** Reports every failure of a key-value store as `STORAGE_UNAVAILABLE`, and every call after `close`. */
export function reportedKeys(keys: KeyValues): KeyValues & { close(): void } {
  let isClosed = false;
  const reported = <T>(call: string, work: () => Promise<T>): Promise<T> => {
    if (isClosed) throw new WorkrailError("STORAGE_UNAVAILABLE", "The store is closed.");
    return mapped(call, work);
  };
  return {
    close: () => {
      isClosed = true;
    },
    get: async (key) => reported("get", () => keys.get(key)),
    putIfAbsent: async (key, value) => reported("putIfAbsent", () => keys.putIfAbsent(key, value)),
    delete: async (key) => reported("delete", () => keys.delete(key)),
    async *list(prefix) {
      // A listing rejects when it is read.
      const names = keys.list(prefix)[Symbol.asyncIterator]();
      for (;;) {
        const { value, done } = await reported("list", () => names.next());
        if (done === true) return;
        yield value;
      }
    },
  };
}

async function mapped<T>(call: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (isWorkrailError(cause)) throw cause;
    throw new WorkrailError("STORAGE_UNAVAILABLE", `The key-value store failed in \`${call}\`.`, { cause });
  }
}

/** Returns the keys under a prefix in ascending order. */
export async function sortedKeys(keys: KeyValues, prefix: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const key of keys.list(prefix)) found.push(key);
  return found.toSorted();
}
