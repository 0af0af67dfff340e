/** Lossless bytes to bytes. Two codecs with one `id` write and read one format. */
export interface Codec {
  /** Names the format, such as `gzip`. */
  readonly id: string;
  encode(bytes: Uint8Array): Promise<Uint8Array>;
  /**
   * The same of bytes that come in parts, each asked for when it is needed, and used before the next is: that may be written into
   * the same memory. With turns for other work between them. For what is tens of megabytes. Absent: that is put together first.
   */
  encodeParts?(parts: Iterable<Uint8Array>): Promise<Uint8Array>;
  /**
   * Rejects with `CHECKPOINT_CORRUPT` when the bytes are not whole and well-formed, with `TOO_LARGE` as soon as the
   * result would pass `maxBytes`: a few hundred kilobytes can claim to be gigabytes.
   */
  decode(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array>;
}
