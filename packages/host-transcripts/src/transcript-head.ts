import { readSync } from "node:fs";
import { quickDigest } from "@workrail/core";
import type { TranscriptPosition } from "./host-transcript.ts";
import type { OpenTranscript } from "./open-transcript.ts";

const HEAD_BYTES = 1024;

/** A digest of a file's first bytes before the offset, because the bytes after it may change. Begins with the number of bytes. */
export function digestOfHead(fd: number, offset: number): string {
  const bytes = Buffer.alloc(Math.min(HEAD_BYTES, offset));
  const count = readSync(fd, bytes, 0, bytes.length, 0);
  return `${bytes.length}:${quickDigest(bytes.subarray(0, count))}`;
}

/** Tells whether a file still holds the part that was read, by its length and its first bytes. */
export function isUnchangedSince({ fd, sizeBytes }: OpenTranscript, position: TranscriptPosition): boolean {
  const { offset, head } = position;
  return Number.isSafeInteger(offset) && offset >= 0 && offset <= sizeBytes && digestOfHead(fd, offset) === head;
}
