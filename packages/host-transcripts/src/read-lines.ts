import { readSync } from "node:fs";

const MAX_CHUNK_BYTES = 1024 * 1024;
/** Bytes of one read. Small, because touching new memory takes longer than reading. */
const MAX_READ_BYTES = 256 * 1024;
/** Bytes. A longer line is skipped: it is an image, or the file is not a transcript. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export interface ReadLinesOptions {
  readonly fd: number;
  /** Offset of the first line in bytes. */
  readonly from: number;
  /** Bytes of a chunk, at most 1 MB. */
  readonly chunkBytes: number;
  /** Tells whether to continue after a chunk that ended at this offset. */
  readonly goOn: (offset: number) => boolean;
  /** Called with each whole line, without its line feed. The bytes are only valid during the call. */
  readonly onLine: (line: Buffer) => void;
}

export interface ReadLinesResult {
  /** Offset after the last whole line, or after the skipped bytes of a line that is too long. */
  readonly offset: number;
  /** True when the end of the file was not reached. */
  readonly isPartial: boolean;
}

/**
 * Reads the whole lines of a file in chunks.
 *
 * Leaves out an unfinished last line, and skips a line over 8 MB.
 */
export function readLines({ fd, from, chunkBytes, goOn, onLine }: ReadLinesOptions): ReadLinesResult {
  const chunk = Math.min(MAX_CHUNK_BYTES, chunkBytes);
  const most = Math.min(MAX_READ_BYTES, chunk);
  let buffer = Buffer.allocUnsafe(most);
  let kept = 0;
  let offset = from;
  let askedAt = from;
  let isSkipping = false;
  for (;;) {
    if (kept + most > buffer.length) buffer = grown(buffer, kept + most);
    const count = readSync(fd, buffer, kept, most, offset + kept);
    if (count === 0) return { offset, isPartial: false };
    const filled = kept + count;
    let start = 0;
    // The kept bytes have no line feed.
    for (let end = buffer.indexOf(NEWLINE, kept); end !== -1 && end < filled; end = buffer.indexOf(NEWLINE, start)) {
      const first = offset + start === 0 && hasByteOrderMark(buffer) ? BYTE_ORDER_MARK.length : start;
      if (!isSkipping && end - start <= MAX_LINE_BYTES) onLine(buffer.subarray(first, end));
      isSkipping = false;
      start = end + 1;
    }
    offset += start;
    kept = filled - start;
    if (kept > MAX_LINE_BYTES) {
      isSkipping = true;
      offset += kept;
      kept = 0;
    } else if (start > 0) buffer.copyWithin(0, start, filled);
    if (offset + kept - askedAt < chunk) continue;
    askedAt = offset + kept;
    if (!goOn(offset)) return { offset, isPartial: true };
  }
}

function grown(buffer: Buffer, atLeast: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, atLeast));
  buffer.copy(larger);
  return larger;
}

function hasByteOrderMark(buffer: Buffer): boolean {
  return buffer.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
}
