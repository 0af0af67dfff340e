/** Converts bytes to bytes without loss. Two codecs with the same `id` use the same format. */
export interface Codec {
  /** Names the format, such as `gzip`. */
  readonly id: string;
  encode(bytes: Uint8Array): Promise<Uint8Array>;
  /**
   * Encodes bytes that arrive in parts, for tens of megabytes of data. Asks for each part only when it is needed and uses the part
   * before asking for the next one, because the next part may reuse the same memory. Yields to other work in between. Absent: the
   * caller concatenates the parts first.
   */
  encodeParts?(parts: Iterable<Uint8Array>): Promise<Uint8Array>;
  /**
   * Encodes consecutive parts that never change. Some were parts of an earlier call, as the same objects: what was made of them may be used
   * again. Absent: the caller concatenates the parts.
   */
  encodeReusing?(parts: readonly Uint8Array[]): Promise<Uint8Array>;
  /**
   * Decodes bytes. Rejects with `CHECKPOINT_CORRUPT` when the bytes are incomplete or malformed, and with `TOO_LARGE` as soon as
   * the result would exceed `maxBytes`: a few hundred kilobytes can expand to gigabytes.
   */
  decode(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array>;
  /**
   * Encodes again, in fewer bytes and more time, what `encode` made for speed. Called for bytes that stay, never while a caller waits.
   * Returns `undefined` when there is nothing to gain. Rejects as `decode` does. Absent: `encode` makes as few bytes as it can.
   */
  repack?(encoded: Uint8Array, maxBytes: number): Promise<Uint8Array | undefined>;
}
