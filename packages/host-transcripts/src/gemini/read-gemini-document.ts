import { readSync } from "node:fs";
import type { TranscriptPart, TranscriptPosition } from "../host-transcript.ts";
import { parseRecord } from "../json-record.ts";
import type { OpenTranscript } from "../open-transcript.ts";
import { digestOfHead, isUnchangedSince } from "../transcript-head.ts";
import { GeminiReader } from "./begin-gemini-reader.ts";

/** Bytes. A larger chat is not read, because all of it would be in memory. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/**
 * Reads a chat of an older Gemini CLI: one JSON document that the host rewrites with each message.
 *
 * The first bytes hold the time of the last change, so a position tells whether the chat is new. A chat that is being written, and
 * is not JSON yet, has no events.
 */
export function readGeminiDocument(opened: OpenTranscript, from: TranscriptPosition | undefined): TranscriptPart {
  const { fd, sizeBytes } = opened;
  if (from !== undefined && from.offset === sizeBytes && isUnchangedSince(opened, from)) {
    return { events: [], position: from, restarted: false, facts: {}, isPartial: false };
  }
  const reader = new GeminiReader("", undefined);
  const record = sizeBytes > MAX_DOCUMENT_BYTES ? undefined : parseRecord(textOfFile(opened));
  if (record !== undefined) reader.acceptRecord(record);
  const { events, facts } = reader.finish();
  const offset = record === undefined ? 0 : sizeBytes;
  return { events, position: { offset, head: digestOfHead(fd, offset) }, restarted: true, facts, isPartial: false };
}

function textOfFile({ fd, sizeBytes }: OpenTranscript): string {
  const bytes = Buffer.alloc(sizeBytes);
  let filled = 0;
  for (let count = -1; count !== 0 && filled < sizeBytes; filled += count) count = readSync(fd, bytes, filled, sizeBytes - filled, filled);
  return bytes.toString("utf8", 0, filled).replace(/^\uFEFF/u, "");
}
