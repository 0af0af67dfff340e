import { readSync } from "node:fs";

const MAX_CHUNK_BYTES = 1024 * 1024;
/** A longer line is noise: an image, or a file that is not a transcript. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export interface ReadLinesOptions {
  readonly fd: number;
  /** Where the first line begins. */
  readonly from: number;
  /** Read at once. At most 1 MB. */
  readonly chunkBytes: number;
  /** Whether to go on after a chunk that ended at this offset. */
  readonly goOn: (offset: number) => boolean;
  /** Called for each whole line, without its line feed. The bytes are only valid during the call. */
  readonly onLine: (line: Buffer) => void;
}

export interface ReadLinesResult {
  /** The end of the last whole line, or of the bytes of a line that is too long. */
  readonly offset: number;
  /** The end of the file was not reached. */
  readonly isPartial: boolean;
}

/**
 * Gives the whole lines of a file, in chunks.
 *
 * An unfinished last line is not given. A line over 8 MB is skipped.
 */
export function readLines({ fd, from, chunkBytes, goOn, onLine }: ReadLinesOptions): ReadLinesResult {
  const most = Math.min(MAX_CHUNK_BYTES, chunkBytes);
  let buffer = Buffer.allocUnsafe(most);
  let kept = 0;
  let offset = from;
  let isSkipping = false;
  for (;;) {
    if (kept + most > buffer.length) buffer = grown(buffer, kept + most);
    const count = readSync(fd, buffer, kept, most, offset + kept);
    if (count === 0) return { offset, isPartial: false };
    const filled = kept + count;
    let start = 0;
    // The bytes that were kept hold no line feed.
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
