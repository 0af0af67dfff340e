import type { RequestId } from "./json-rpc.ts";
import { MessageIdScanner } from "./message-id-scanner.ts";

const LINE_FEED = 0x0a;

/** One line of the input. */
export type Frame =
  | { readonly kind: "line"; readonly bytes: Buffer }
  | { readonly kind: "too-long"; readonly sizeBytes: number; readonly id: RequestId | undefined };

/**
 * Splits a stream of bytes into lines, at byte 0x0A only.
 *
 * Chunks are collected and joined once per line, so that a long line costs linear time. A line over the limit is discarded as it arrives;
 * only its length and its JSON-RPC id are kept.
 */
export class LineFramer {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #sizeBytes = 0;
  #discarded: MessageIdScanner | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Yields every line that `chunk` completes. Consume all of them before the next push. */
  *push(chunk: Buffer): Generator<Frame, void> {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end === -1) {
        this.#append(chunk.subarray(start));
        return;
      }
      this.#append(chunk.subarray(start, end));
      yield this.#finish();
      start = end + 1;
    }
  }

  /** Returns the last line, when the input ended without a line feed. */
  end(): Frame | undefined {
    return this.#sizeBytes === 0 ? undefined : this.#finish();
  }

  #append(part: Buffer): void {
    this.#sizeBytes += part.length;
    if (this.#discarded !== undefined) {
      this.#discarded.write(part);
      return;
    }
    if (part.length > 0) {
      this.#chunks.push(part);
    }
    if (this.#sizeBytes > this.#maxBytes) {
      this.#discarded = new MessageIdScanner();
      for (const chunk of this.#chunks) {
        this.#discarded.write(chunk);
      }
      this.#chunks = [];
    }
  }

  #finish(): Frame {
    const [first] = this.#chunks;
    const frame: Frame =
      this.#discarded === undefined
        ? { kind: "line", bytes: this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks) }
        : { kind: "too-long", sizeBytes: this.#sizeBytes, id: this.#discarded.id };
    this.#chunks = [];
    this.#sizeBytes = 0;
    this.#discarded = undefined;
    return frame;
  }
}
