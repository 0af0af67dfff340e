/**
 * The four functions of a key-value store. A value never changes once it is written.
 *
 * Keys have the form `folder/name` with at most 130 characters out of `a` to `z`, `0` to `9`, `.` and `-`. Every reader sees a write as
 * soon as it resolves. A rejected call may have had its effect or not.
 */
export interface KeyValues {
  /** `undefined` when there is no such key. Never returns a part of a value. */
  get(key: string): Promise<Uint8Array | undefined>;
  /**
   * Writes a value, durable when it resolves with `true`. Resolves with `false` and changes nothing when the key exists. The store
   * itself must decide this: looking first and writing afterwards loses the data of a second process.
   */
  putIfAbsent(key: string, value: Uint8Array): Promise<boolean>;
  /** Removes a key, durably when it resolves. Removing a missing key is not an error. */
  delete(key: string): Promise<void>;
  /** Lists the keys that begin with a prefix, in any order. The prefix contains the whole folder and the `/`. */
  list(prefix: string): AsyncIterable<string>;
}
