import { isWorkrailError } from "@workrail/core";
import type { TranscriptFacts, TranscriptHost } from "./host-transcript.ts";
import { readTranscript } from "./read-transcript.ts";

const PEEK_BYTES = 64 * 1024;
const UNREADABLE: ReadonlySet<string> = new Set(["STORAGE_UNAVAILABLE", "INVALID_INPUT"]);

/**
 * Reads facts from the first 64 KB of a transcript: session, directory, start time, and whether it is of a sub-agent.
 *
 * `undefined` when the file is missing. Facts that are not in the 64 KB are missing.
 *
 * @throws as `readTranscript` does.
 */
export async function peekTranscript(host: TranscriptHost, file: string): Promise<TranscriptFacts | undefined> {
  const part = await readTranscript(host, file, { maxBytes: PEEK_BYTES });
  if (part === undefined) return undefined;
  const { lastAt: _, ...facts } = part.facts;
  return facts;
}

/** The same for a search, which skips an unreadable file. */
export async function peekIfReadable(host: TranscriptHost, file: string): Promise<TranscriptFacts | undefined> {
  try {
    return await peekTranscript(host, file);
  } catch (error) {
    if (isWorkrailError(error) && UNREADABLE.has(error.code)) return undefined;
    throw error;
  }
}
