import type { Codec } from "@workrail/core";
import { gzip, Inflate } from "pako";
import { corrupt, readGzipMember, tooLarge } from "./gzip-member.ts";

const LEVEL = 6;
/** Tells pako to read gzip, and nothing else. */
const GZIP_ONLY = 31;

/** Gzip in plain JavaScript, for every platform. Writes and reads what the codec of `@workrail/codecs/zlib` does. */
export const gzipCodec: Codec = {
  id: "gzip",
  async encode(bytes) {
    return gzip(bytes, { level: LEVEL });
  },
  async decode(bytes, maxBytes) {
    return new BoundedInflate(bytes, maxBytes).run();
  },
};

/** pako keeps whatever comes out. This one counts it, and stops. */
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
    // pako goes on through members that follow and passes over zeros; it counts anew with each of them.
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
