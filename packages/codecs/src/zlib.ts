import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { promisify } from "node:util";
import { crc32, createGzip, deflateRawSync, gzip, gzipSync, inflateRaw, inflateRawSync } from "node:zlib";
import type { Gzip, InputType, Zlib, ZlibOptions } from "node:zlib";
import type { Codec } from "@workrail/core";
import { corrupt, type GzipMember, readGzipMember, tooLarge } from "./gzip-member.ts";

/**
 * Level of small contents, most of which are deltas, and of whatever stays. Larger contents are contexts that soon become deltas: level 1
 * takes a fifth of the time, and a sixth more bytes. The few that stay whole are encoded again.
 */
const LEVEL = 6;
const QUICK_LEVEL = 1;
const SMALL_BYTES = 8 * 1024;
/** Offset of the header's XFL field, and its value for level 1 (RFC 1952, 2.3.1). */
const EXTRA_FLAGS_AT = 8;
const FASTEST = 4;
/**
 * Maximum bytes that are compressed synchronously. Up to this size the event loop is blocked for one or two milliseconds, and a
 * thread is not worth its overhead.
 */
const FOLDED_AT_ONCE_BYTES = 256 * 1024;
const UNFOLDED_AT_ONCE_BYTES = 256 * 1024;
/** Minimum chunk size of zlib, its `Z_MIN_CHUNK`. */
const SMALLEST_CHUNK_BYTES = 64;
/** Default chunk size of zlib. Each full chunk costs another call. */
const ZLIB_CHUNK_BYTES = 16 * 1024;
const STREAM_CHUNK_BYTES = 1024 * 1024;
/** Maximum bytes of one checksum step, a few milliseconds. */
const SUMMED_AT_ONCE_BYTES = 16 * 1024 * 1024;
/** More bytes than gzip adds to incompressible content, for contents up to the chunk above. */
const GZIP_OVERHEAD_BYTES = 64;
/** Maximum compression ratio of a deflate stream. */
const MAX_RATIO = 1032;

/** Result with `info: true`, which Node's types lack. */
interface Inflated {
  readonly buffer: Uint8Array;
  readonly engine: Zlib;
}
const inflateSync = inflateRawSync as unknown as (input: InputType, options: ZlibOptions) => Inflated;
const inflateInThread = promisify(inflateRaw) as unknown as (input: InputType, options: ZlibOptions) => Promise<Inflated>;
const gzipInThread = promisify<InputType, ZlibOptions, Uint8Array>(gzip);

/** Gzip by Node's own zlib. Interchangeable with the codec of `@workrail/codecs/pako`. */
export const gzipCodec: Codec = {
  id: "gzip",
  async encode(bytes) {
    const options = { level: bytes.length <= SMALL_BYTES ? LEVEL : QUICK_LEVEL, chunkSize: roomForFolded(bytes.length) };
    return bytes.length <= FOLDED_AT_ONCE_BYTES ? gzipSync(bytes, options) : gzipInThread(bytes, options);
  },
  async encodeParts(parts) {
    const gzip = createGzip({ level: QUICK_LEVEL, chunkSize: STREAM_CHUNK_BYTES });
    const [chunks] = await Promise.all([chunksOf(gzip), writeAll(gzip, parts)]);
    return Buffer.concat(chunks);
  },
  async encodeReusing(parts) {
    const segments = segmentsOf(parts);
    const contentBytes = lengthOf(segments);
    const freshBytes = lengthOf(segments.filter((part) => !folded.has(part)));
    // Segments take a tenth more bytes, and several times as many when they repeat each other; fresh ones block the event loop.
    if (contentBytes <= WHOLE_BYTES || freshBytes > FOLDED_AT_ONCE_BYTES) return gzipCodec.encode(Buffer.concat(parts));
    const checksum = segments.reduce((sum, part) => crc32(part, sum), 0);
    return Buffer.concat([HEADER, ...segments.map(foldedOf), LAST_BLOCK, trailerOf(checksum, contentBytes)]);
  },
  async decode(bytes, maxBytes) {
    const member = readGzipMember(bytes);
    const { buffer, engine } = await inflate(member, maxBytes);
    if (buffer.length > maxBytes) throw tooLarge(maxBytes);
    // Unread bytes are between the end of the content and the trailer.
    if (engine.bytesWritten !== member.body.length) throw corrupt("more follows after its end");
    if (buffer.length !== member.contentBytes || (await checksumOf(buffer)) !== member.crc32)
      throw corrupt("it does not match its checksum");
    return buffer;
  },
  async repack(encoded, maxBytes) {
    if (encoded[EXTRA_FLAGS_AT] !== FASTEST) return undefined;
    const bytes = await gzipCodec.decode(encoded, maxBytes);
    const packed = await gzipInThread(bytes, { level: LEVEL, chunkSize: roomForFolded(bytes.length) });
    return packed.length < encoded.length ? packed : undefined;
  },
};

/** Largest content that is always compressed as a whole. */
const WHOLE_BYTES = 16 * 1024;
/** Shortest part that is compressed by itself. */
const SEGMENT_BYTES = 4 * 1024;
/** Compressed parts, for as long as their parts live. */
const folded = new WeakMap<Uint8Array, Uint8Array>();
/** Header for level 1, without a time or a name (RFC 1952, 2.3). */
const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, FASTEST, 255);
/** `Z_FULL_FLUSH` of zlib: ends the blocks at a byte. */
const FULL_FLUSH = 3;
/** Final block without content (RFC 1951, 3.2.3 and 3.2.6). */
const LAST_BLOCK = Uint8Array.of(3, 0);

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** Joins the short parts between long ones. */
function segmentsOf(parts: readonly Uint8Array[]): readonly Uint8Array[] {
  const segments: Uint8Array[] = [];
  let short: Uint8Array[] = [];
  for (const part of parts) {
    if (part.length < SEGMENT_BYTES) {
      short.push(part);
      continue;
    }
    if (short.length > 0) segments.push(Buffer.concat(short));
    segments.push(part);
    short = [];
  }
  if (short.length > 0) segments.push(Buffer.concat(short));
  return segments;
}

/** Most bytes of a segment that is stored as it is: mostly the comma between two long parts, for which zlib would set up its tables. */
const STORED_BYTES = 200;

/** Compresses a part to whole blocks that refer to nothing before them, so that they fit into any stream. */
function foldedOf(part: Uint8Array): Uint8Array {
  if (part.length <= STORED_BYTES) return storedBlock(part);
  const known = folded.get(part);
  if (known !== undefined) return known;
  const options = { level: QUICK_LEVEL, chunkSize: roomForFolded(part.length), finishFlush: FULL_FLUSH };
  // A copy, because the result is a view of a whole chunk.
  const blocks = Uint8Array.from(deflateRawSync(part, options));
  if (part.length >= SEGMENT_BYTES) folded.set(part, blocks);
  return blocks;
}

/** Returns a stored block, which is not the last one (RFC 1951, 3.2.4). It begins at a byte, as all blocks do here. */
function storedBlock(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(0, bytes.length, 0, ~bytes.length, 255), bytes]);
}

function trailerOf(checksum: number, contentBytes: number): Uint8Array {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE(contentBytes, 4);
  return trailer;
}

/** Writes the parts one by one. Requests a part only after the one before was consumed, since its memory may be reused. */
async function writeAll(gzip: Gzip, parts: Iterable<Uint8Array>): Promise<void> {
  const write = promisify<Uint8Array, void>((part, done) => gzip.write(part, done));
  try {
    for (const part of parts) if (part.length > 0) await write(part);
    gzip.end();
  } catch (error) {
    gzip.destroy();
    throw error;
  }
}

async function chunksOf(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** Returns a chunk size for the whole result of compressed JSON, and no more. Each further chunk wakes a thread. */
function roomForFolded(contentBytes: number): number {
  return Math.max(Math.min(contentBytes + GZIP_OVERHEAD_BYTES, ZLIB_CHUNK_BYTES), Math.ceil(contentBytes / 2));
}

async function inflate(member: GzipMember, maxBytes: number): Promise<Inflated> {
  const { body, contentBytes } = member;
  const most = Math.min(contentBytes, maxBytes);
  const options = {
    info: true,
    maxOutputLength: Math.max(1, most),
    // One chunk for the whole result, without a copy. The size in the trailer may be wrong, but memory that is never written is not
    // allocated. One byte more than needed, which avoids a second, empty chunk.
    chunkSize: Math.max(SMALLEST_CHUNK_BYTES, Math.min(most, body.length * MAX_RATIO) + 1),
  };
  try {
    return Math.max(body.length, most) <= UNFOLDED_AT_ONCE_BYTES ? inflateSync(body, options) : await inflateInThread(body, options);
  } catch (cause) {
    if (!isTooLarge(cause)) throw corrupt("it cannot be unfolded", cause);
    throw contentBytes > maxBytes ? tooLarge(maxBytes) : corrupt("it holds more than it says", cause);
  }
}

/** Computes the checksum, and yields to other work between the steps. */
async function checksumOf(bytes: Uint8Array): Promise<number> {
  let checksum = 0;
  for (let from = 0; from < bytes.length; from += SUMMED_AT_ONCE_BYTES) {
    if (from > 0) await yieldToEventLoop();
    checksum = crc32(bytes.subarray(from, from + SUMMED_AT_ONCE_BYTES), checksum);
  }
  return checksum;
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
}
