import { isWorkrailError } from "@workrail/core";
import type { TranscriptFacts, TranscriptHost, TranscriptPart } from "./host-transcript.ts";
import { readTranscript } from "./read-transcript.ts";

const PEEK_BYTES = 64 * 1024;
const UNREADABLE: ReadonlySet<string> = new Set(["STORAGE_UNAVAILABLE", "INVALID_INPUT"]);

/**
 * The facts that the first 64 KB of a transcript tell: its session, its directory, when it began, whether it is of a sub-agent.
 *
 * `undefined` when the file is not there, cannot be read or is no regular file, and for opencode: a search goes on with the next
 * one. Facts that are not there are missing.
 */
export async function peekTranscript(host: TranscriptHost, file: string): Promise<TranscriptFacts | undefined> {
  const part = await readFirst(host, file);
  if (part === undefined) return undefined;
  const { lastAt: _, ...facts } = part.facts;
  return facts;
}

async function readFirst(host: TranscriptHost, file: string): Promise<TranscriptPart | undefined> {
  try {
    return await readTranscript(host, file, { maxBytes: PEEK_BYTES });
  } catch (error) {
    if (isWorkrailError(error) && UNREADABLE.has(error.code)) return undefined;
    throw error;
  }
}
