import { decodeUtf8, encodeUtf8 } from "../platform.ts";
import type { Block } from "./blocks.ts";

export interface FittedBlocks {
  readonly text: string;
  readonly isCut: boolean;
}

const GAP = "\n\n";

/** As much of a page as fits into so many bytes of UTF-8. A text is cut at a whole character, and what was begun around it is ended. */
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

/** `undefined` when it does not fit. What cannot fit is not looked at: there may be megabytes of it. */
function wholeBlock(block: Block, mostBytes: number): string | undefined {
  if (block.text.length > mostBytes) return undefined;
  const whole = written(block, block.text);
  return encodeUtf8(whole).length > mostBytes ? undefined : whole;
}

/** What mending adds is not known before: the cut is taken back until all of it fits. */
function cutBlock(block: Block, mostBytes: number): string | undefined {
  // No character has less than one byte.
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

/** The beginning of a text of so many bytes, or of up to three less, so that it ends on a whole character. */
function cutUtf8(bytes: Uint8Array, length: number): string {
  let end = Math.min(length, bytes.length);
  // A byte of the form 10xxxxxx goes on with a character.
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return decodeUtf8(bytes.subarray(0, end));
}
