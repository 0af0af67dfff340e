import { WorkrailError } from "@workrail/core";

/*
 * Parsing of gzip members (RFC 1952). A blob is exactly one member. Gzip files may have several in sequence, whose contents
 * readers join silently; a blob with appended data must not pass for the original.
 */

/** Length of the fixed part of the header; optional fields may follow. */
const HEADER_BYTES = 10;
/** Length of the trailer: CRC-32 and length of the content, four bytes each. */
const TRAILER_BYTES = 8;

const HEADER_CHECKSUM = 0x02;
const EXTRA_FIELD = 0x04;
const FILE_NAME = 0x08;
const COMMENT = 0x10;
const RESERVED = 0xe0;

/** Parts of a gzip member, not yet verified. */
export interface GzipMember {
  /** Deflate stream, provided that the member ends at the end of the bytes. */
  readonly body: Uint8Array;
  readonly crc32: number;
  /** Length of the content by the trailer, modulo 2^32. */
  readonly contentBytes: number;
}

/**
 * Splits a gzip member into its parts.
 *
 * @throws CHECKPOINT_CORRUPT when the bytes do not begin with a gzip header, or are too few.
 */
export function readGzipMember(bytes: Uint8Array): GzipMember {
  const start = endOfHeader(bytes);
  const end = bytes.length - TRAILER_BYTES;
  if (start > end) throw corrupt("it is cut off");
  const trailer = new DataView(bytes.buffer, bytes.byteOffset + end, TRAILER_BYTES);
  return { body: bytes.subarray(start, end), crc32: trailer.getUint32(0, true), contentBytes: trailer.getUint32(4, true) };
}

function endOfHeader(bytes: Uint8Array): number {
  const [first, second, method, flags = 0] = bytes;
  if (first !== 0x1f || second !== 0x8b || method !== 8 || (flags & RESERVED) !== 0) throw corrupt("it does not begin as gzip does");
  let end = HEADER_BYTES;
  if ((flags & EXTRA_FIELD) !== 0) end += 2 + (bytes[end] ?? 0) + 256 * (bytes[end + 1] ?? 0);
  if ((flags & FILE_NAME) !== 0) end = afterZero(bytes, end);
  if ((flags & COMMENT) !== 0) end = afterZero(bytes, end);
  if ((flags & HEADER_CHECKSUM) !== 0) end += 2;
  return end;
}

function afterZero(bytes: Uint8Array, from: number): number {
  const zero = bytes.indexOf(0, from);
  return zero < 0 ? Number.POSITIVE_INFINITY : zero + 1;
}

export function corrupt(why: string, cause?: unknown): WorkrailError {
  return new WorkrailError("CHECKPOINT_CORRUPT", `The compressed bytes are damaged: ${why}.`, { cause });
}

export function tooLarge(maxBytes: number): WorkrailError {
  return new WorkrailError("TOO_LARGE", `The compressed bytes unfold to more than ${maxBytes} bytes.`, {
    details: { limit: "maxBytes", maxBytes },
    hint: "Raise the limit of a context's size if these bytes are your own.",
  });
}
