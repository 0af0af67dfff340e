import type { TranscriptFacts, TranscriptHost } from "./host-transcript.ts";
import { readTranscript } from "./read-transcript.ts";

const PEEK_BYTES = 64 * 1024;

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
