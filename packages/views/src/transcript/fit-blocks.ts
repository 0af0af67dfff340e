import { decodeUtf8, encodeUtf8 } from "@workrail/core";
import type { Block } from "./blocks.ts";

export interface FittedBlocks {
  readonly text: string;
  readonly isCut: boolean;
}

const GAP = "\n\n";

/** Returns as many blocks as fit into this many bytes of UTF-8. The last text is cut between characters, and its markup closed. */
export function fitBlocks(blocks: Iterable<Block>, mostBytes: number): FittedBlocks {
  const pieces: string[] = [];
  let room = mostBytes;
  for (const block of blocks) {
    const whole = wholeBlock(block, room - GAP.length);
    if (whole === undefined) {
      const part = cutBlock(block, room - GAP.length);
      return { text: [...pieces, ...(part === undefined ? [] : [part])].join(GAP), isCut: true };
    }
    pieces.push(whole);
    room -= encodeUtf8(whole).length + GAP.length;
  }
  return { text: pieces.join(GAP), isCut: false };
}

function written({ before, after, mend }: Block, text: string): string {
  return `${before}${mend?.(text) ?? text}${after}`;
}

/** Returns a whole block; `undefined` when it does not fit. Checks the length first, because there may be megabytes. */
function wholeBlock(block: Block, mostBytes: number): string | undefined {
  if (block.text.length > mostBytes) return undefined;
  const whole = written(block, block.text);
  return encodeUtf8(whole).length > mostBytes ? undefined : whole;
}

/** Returns part of a block. The size of the repair is unknown in advance, so the cut is moved back until everything fits. */
function cutBlock(block: Block, mostBytes: number): string | undefined {
  // Every character has at least one byte.
  const bytes = encodeUtf8(block.text.slice(0, Math.max(0, mostBytes)));
  const around = encodeUtf8(`${block.before}${block.after}`).length;
  for (let length = Math.min(bytes.length, mostBytes - around); length > 0;) {
    const part = written(block, cutUtf8(bytes, length));
    const over = encodeUtf8(part).length - mostBytes;
    if (over <= 0) return part;
    length -= over;
  }
  return undefined;
}

/** Returns the beginning of a text with at most this many bytes, without splitting a character. */
function cutUtf8(bytes: Uint8Array, length: number): string {
  let end = Math.min(length, bytes.length);
  // Bytes of the form 10xxxxxx continue a character.
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return decodeUtf8(bytes.subarray(0, end));
}
