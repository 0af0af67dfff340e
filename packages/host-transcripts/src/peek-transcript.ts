import { isWorkrailError } from "@workrail/core";
import type { TranscriptFacts, TranscriptHost } from "./host-transcript.ts";
import { readTranscript } from "./read-transcript.ts";

const PEEK_BYTES = 64 * 1024;
const UNREADABLE: ReadonlySet<string> = new Set(["STORAGE_UNAVAILABLE", "INVALID_INPUT"]);

/**
 * The facts that the first 64 KB of a transcript tell: its session, its directory, when it began, whether it is of a sub-agent.
 *
 * `undefined` when the file is not there. Facts that are not there are missing.
 *
 * @throws as `readTranscript` does.
 */
export async function peekTranscript(host: TranscriptHost, file: string): Promise<TranscriptFacts | undefined> {
  const part = await readTranscript(host, file, { maxBytes: PEEK_BYTES });
  if (part === undefined) return undefined;
  const { lastAt: _, ...facts } = part.facts;
  return facts;
}

/** The same for a search, which goes on with the next file where one cannot be read. */
export async function peekIfReadable(host: TranscriptHost, file: string): Promise<TranscriptFacts | undefined> {
  try {
    return await peekTranscript(host, file);
  } catch (error) {
    if (isWorkrailError(error) && UNREADABLE.has(error.code)) return undefined;
    throw error;
  }
}
