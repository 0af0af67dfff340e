import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { constants, crc32, createGzip, createInflateRaw, gzip, gzipSync, inflateRaw, inflateRawSync } from "node:zlib";
import type { InputType, Zlib, ZlibOptions } from "node:zlib";
import { type Codec, isWorkrailError } from "@workrail/core";
import { corrupt, type GzipMember, readGzipMember, tooLarge } from "./gzip-member.ts";

const LEVEL = 6;
/** Up to this size the work blocks the event loop for less than a millisecond, and a way to another thread is not worth it. */
const FOLDED_AT_ONCE_BYTES = 32 * 1024;
const UNFOLDED_AT_ONCE_BYTES = 256 * 1024;
/** What zlib sets aside by itself, and is called anew for each time it is full. */
const ZLIB_CHUNK_BYTES = 16 * 1024;
/** From this size on contents are unfolded piece by piece into their place. */
const STREAMED_BYTES = 16 * 1024 * 1024;
const STREAM_CHUNK_BYTES = 1024 * 1024;
/** More than what gzip adds to a content that it cannot make smaller, up to the chunk above. */
const GZIP_OVERHEAD_BYTES = 64;
/** Room set aside at once for what is unfolded. More than this is taken piece by piece: the size told may be a lie. */
const LARGEST_CHUNK = 64 * 1024 * 1024;
/** No deflate stream unfolds further. */
const MAX_RATIO = 1032;

/** What `info: true` makes of a result; the types of Node leave it out. */
interface Inflated {
  readonly buffer: Uint8Array;
  readonly engine: Zlib;
}
const inflateSync = inflateRawSync as unknown as (input: InputType, options: ZlibOptions) => Inflated;
const inflateInThread = promisify(inflateRaw) as unknown as (input: InputType, options: ZlibOptions) => Promise<Inflated>;
const gzipInThread = promisify<InputType, ZlibOptions, Uint8Array>(gzip);

/** Gzip by Node's own zlib. Writes and reads what the codec of `@workrail/codecs/pako` does. */
export const gzipCodec: Codec = {
  id: "gzip",
  async encode(bytes) {
    const options = { level: LEVEL, chunkSize: roomForFolded(bytes.length) };
    return bytes.length <= FOLDED_AT_ONCE_BYTES ? gzipSync(bytes, options) : gzipInThread(bytes, options);
  },
  async encodeParts(parts) {
    const gzip = createGzip({ level: LEVEL, chunkSize: STREAM_CHUNK_BYTES });
    const chunks: Uint8Array[] = [];
    await pipeline(parts, gzip, async (folded: AsyncIterable<Uint8Array>) => {
      for await (const chunk of folded) chunks.push(chunk);
    });
    return Buffer.concat(chunks);
  },
  async decode(bytes, maxBytes) {
    const member = readGzipMember(bytes);
    if (Math.min(member.contentBytes, maxBytes) > STREAMED_BYTES) return unfoldInTurns(member, maxBytes);
    const { buffer, engine } = await inflate(member, maxBytes);
    if (buffer.length > maxBytes) throw tooLarge(maxBytes);
    // Fewer bytes taken than there are: something stands between the content's end and the trailer.
    if (engine.bytesWritten !== member.body.length) throw corrupt("more follows after its end");
    if (buffer.length !== member.contentBytes || crc32(buffer) !== member.crc32) throw corrupt("it does not match its checksum");
    return buffer;
  },
};

/** Enough for the whole result at once, JSON being what it is, and no more: a thread is woken for each further piece. */
function roomForFolded(contentBytes: number): number {
  return Math.max(Math.min(contentBytes + GZIP_OVERHEAD_BYTES, ZLIB_CHUNK_BYTES), Math.ceil(contentBytes / 2));
}

async function inflate(member: GzipMember, maxBytes: number): Promise<Inflated> {
  const { body, contentBytes } = member;
  const most = Math.min(contentBytes, maxBytes);
  const options = {
    info: true,
    maxOutputLength: Math.max(1, most),
    // One more than needed, lest a second, empty chunk is asked for.
    chunkSize: Math.max(constants.Z_MIN_CHUNK, Math.min(most, body.length * MAX_RATIO, LARGEST_CHUNK) + 1),
  };
  try {
    return Math.max(body.length, most) <= UNFOLDED_AT_ONCE_BYTES ? inflateSync(body, options) : await inflateInThread(body, options);
  } catch (cause) {
    if (!isTooLarge(cause)) throw corrupt("it cannot be unfolded", cause);
    throw contentBytes > maxBytes ? tooLarge(maxBytes) : corrupt("it holds more than it says", cause);
  }
}

/** Takes no more memory than the content, and gives other work its turn between pieces. */
async function unfoldInTurns({ body, contentBytes, crc32: expected }: GzipMember, maxBytes: number): Promise<Uint8Array> {
  const most = Math.min(contentBytes, maxBytes, body.length * MAX_RATIO);
  const content = Buffer.allocUnsafeSlow(most);
  const engine = createInflateRaw({ chunkSize: STREAM_CHUNK_BYTES });
  let length = 0;
  let checksum = 0;
  engine.end(body);
  try {
    for await (const chunk of engine as AsyncIterable<Buffer>) {
      if (length + chunk.length > most) throw contentBytes > maxBytes ? tooLarge(maxBytes) : corrupt("it holds more than it says");
      chunk.copy(content, length);
      checksum = crc32(chunk, checksum);
      length += chunk.length;
    }
  } catch (cause) {
    throw isWorkrailError(cause) ? cause : corrupt("it cannot be unfolded", cause);
  }
  if (engine.bytesWritten !== body.length) throw corrupt("more follows after its end");
  if (length !== contentBytes || checksum !== expected) throw corrupt("it does not match its checksum");
  return content;
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
}
