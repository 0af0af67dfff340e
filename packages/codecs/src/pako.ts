import type { Codec } from "@workrail/core";
import { gzip, Inflate } from "pako";
import { corrupt, readGzipMember, tooLarge } from "./gzip-member.ts";

const LEVEL = 6;
/** `windowBits` of pako for gzip only. */
const GZIP_ONLY = 31;

/** Gzip in plain JavaScript, for every platform. Interchangeable with the codec of `@workrail/codecs/zlib`. */
export const gzipCodec: Codec = {
  id: "gzip",
  async encode(bytes) {
    return gzip(bytes, { level: LEVEL });
  },
  async decode(bytes, maxBytes) {
    return new BoundedInflate(bytes, maxBytes).run();
  },
};

/** Inflater that counts the output and stops at the limit; pako alone keeps all of it. */
class BoundedInflate {
  readonly #bytes: Uint8Array;
  readonly #maxBytes: number;
  readonly #contentBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(bytes: Uint8Array, maxBytes: number) {
    this.#bytes = bytes;
    this.#maxBytes = maxBytes;
    this.#contentBytes = readGzipMember(bytes).contentBytes;
  }

  run(): Uint8Array {
    const inflate = new Inflate({ windowBits: GZIP_ONLY });
    let bytesTaken = (): number => 0;
    inflate.onStart = (stream) => {
      bytesTaken = () => stream.total_in;
    };
    inflate.onData = (chunk) => this.#take(chunk);
    const isWhole = inflate.push(this.#bytes, true);
    if (!isWhole) throw corrupt(inflate.msg);
    // pako continues through further members and skips zero bytes; its count restarts with each member.
    if (bytesTaken() !== this.#bytes.length) throw corrupt("more follows after its end");
    return this.#joined();
  }

  #take(chunk: Uint8Array): void {
    this.#length += chunk.length;
    if (this.#length > Math.min(this.#contentBytes, this.#maxBytes)) {
      throw this.#contentBytes > this.#maxBytes ? tooLarge(this.#maxBytes) : corrupt("it holds more than it says");
    }
    this.#chunks.push(chunk);
  }

  #joined(): Uint8Array {
    const [only] = this.#chunks;
    if (only !== undefined && this.#chunks.length === 1) return only;
    const joined = new Uint8Array(this.#length);
    let end = 0;
    for (const chunk of this.#chunks) {
      joined.set(chunk, end);
      end += chunk.length;
    }
    return joined;
  }
}
